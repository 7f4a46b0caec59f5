// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using UnityEngine;
using UnityEngine.Experimental.Rendering;
using UnityEngine.Rendering;

namespace Fovea
{
    /// <summary>
    /// Foveates what its camera draws. With the Universal Render Pipeline the renderer also needs the FoveaRendererFeature;
    /// the built-in pipeline needs nothing else.
    /// </summary>
    [RequireComponent(typeof(Camera))]
    [DisallowMultipleComponent]
    [AddComponentMenu("Rendering/Fovea Camera")]
    public sealed class FoveaCamera : MonoBehaviour
    {
        public enum GazeFrom
        {
            Script, // SetGaze, or the fields below
            Source, // the source that the settings name: udp, scanpath, saccades, fixed
        }

        [Tooltip("Script: SetGaze of this component. Source: what the settings name as gaze.source.")]
        public GazeFrom gazeFrom = GazeFrom.Script;

        [Tooltip("Where somebody looks: 0, 0 is the lower left corner of the picture, 1, 1 the upper right one.")]
        public Vector2 gaze = new Vector2(0.5f, 0.5f);

        [Tooltip("The same for the right eye, in single-pass instanced XR.")]
        public Vector2 rightGaze = new Vector2(0.5f, 0.5f);

        [Tooltip("Off: nobody knows where somebody looks, and the picture stays as it is.")]
        public bool gazeIsKnown = true;

        [Range(0f, 8f)]
        [Tooltip("Multiplies this camera's blur, in place of foveation.strength; 0 leaves the picture as it is.")]
        public float strength = 1f;

        [Tooltip("The camera's projection says how many degrees the picture covers (not to the model \"paper\").")]
        public bool useProjection = true;

        [Tooltip("Settings in the form of Fovea's configuration files, for all cameras; none: those in force stay.")]
        public TextAsset configuration;

        const int KeptFrames = 8; // Unity runs a frame's events up to three frames later

        static readonly int BlockBytes = Marshal.SizeOf(typeof(Native.Block));
        // The places of all cameras, the oldest first. The render thread may still read one of a camera that has gone: none is freed.
        static readonly Queue<Place> Places = new Queue<Place>();
        static ulong nextId = 1;

        readonly List<View> views = new List<View>();
        ulong id;
        TextAsset appliedConfiguration;
        CommandBuffer builtIn;
        Camera attached;

        /// <summary>One picture of this camera: the right eye of multi-pass XR has a second one.</summary>
        sealed class View
        {
            public RenderTexture Texture;
            public IntPtr Pointer;
            public bool Issued;
            public RenderTexture Depth; // values of the depth buffer, in rows as Texture has them
            public IntPtr DepthPointer;
            public bool HasDepth; // they are drawn in this frame
            public double DepthTime; // of the last frame with some; 0: none yet
        }

        /// <summary>Memory for an event's data, and the frame that it was last given to.</summary>
        struct Place
        {
            public IntPtr Data;
            public int Frame;
        }

        /// <summary>The gaze of both eyes, as Camera.ScreenToViewportPoint has places.</summary>
        public void SetGaze(Vector2 viewport)
        {
            SetGaze(viewport, viewport);
        }

        public void SetGaze(Vector2 left, Vector2 right)
        {
            gaze = left;
            rightGaze = right;
            gazeIsKnown = true;
        }

        public void LoseGaze()
        {
            gazeIsKnown = false;
        }

        /// <summary>What frames cost, in microseconds; false: there has been none for a while.</summary>
        public bool TryGetCost(out double gpuUs, out double cpuUs)
        {
            var stats = new Native.Stats { StructBytes = (uint)Marshal.SizeOf(typeof(Native.Stats)) };
            bool known = FoveaPlugin.Call(() => Native.fovea_unity_get_stats(IdOf(0), ref stats), -1) == 0;
            gpuUs = stats.GpuUs;
            cpuUs = stats.CpuUs;
            return known;
        }

        void OnEnable()
        {
            id = nextId;
            nextId += 2;
            appliedConfiguration = null;
            Configure();
            if (GraphicsSettings.currentRenderPipeline == null)
            {
                attached = GetComponent<Camera>();
                attached.forceIntoRenderTexture = true;
                builtIn = new CommandBuffer { name = "Fovea" };
                attached.AddCommandBuffer(CameraEvent.AfterImageEffects, builtIn);
            }
        }

        void OnDisable()
        {
            if (attached != null)
            {
                attached.RemoveCommandBuffer(CameraEvent.AfterImageEffects, builtIn);
                builtIn.Release();
                builtIn = null;
                attached = null;
            }
            for (int i = 0; i < views.Count; i++)
            {
                Forget(i);
            }
            views.Clear();
        }

        void Update()
        {
            Configure();
            if (attached != null && FoveaPlugin.NeedsDepth)
            {
                attached.depthTextureMode |= DepthTextureMode.Depth; // others may need it, too: it stays
            }
            FoveaPlugin.WriteLog();
        }

        /// <summary>Another text counts as soon as the field has it; with none, what was in force stays.</summary>
        void Configure()
        {
            string error;
            if (ReferenceEquals(configuration, appliedConfiguration))
            {
                return;
            }
            appliedConfiguration = configuration;
            if (configuration != null && !FoveaPlugin.Configure(configuration.text, out error))
            {
                Debug.LogError("Fovea: " + configuration.name + ": " + error, this);
            }
        }

        /// <summary>The built-in pipeline's frame, recorded anew as the camera's size may have changed.</summary>
        void OnPreRender()
        {
            if (builtIn == null)
            {
                return;
            }
            builtIn.Clear();
            Camera.MonoOrStereoscopicEye eye = attached.stereoActiveEye;
            var like = new RenderTextureDescriptor(attached.pixelWidth, attached.pixelHeight)
            {
                graphicsFormat = attached.allowHDR ? GraphicsFormat.R16G16B16A16_SFloat
                                                   : SystemInfo.GetGraphicsFormat(DefaultFormat.LDR),
            };
            RenderTexture texture = Target(like, eye);
            if (texture == null)
            {
                return;
            }
            Vector4 flip = FlipScaleBias;
            var scale = new Vector2(flip.x, flip.y);
            var offset = new Vector2(flip.z, flip.w);
            var screen = new RenderTargetIdentifier(BuiltinRenderTextureType.CameraTarget);
            builtIn.Blit(screen, new RenderTargetIdentifier(texture), scale, offset);
            RenderTexture depth = DepthTarget(eye);
            if (depth != null)
            {
                builtIn.Blit(new RenderTargetIdentifier(BuiltinRenderTextureType.Depth), new RenderTargetIdentifier(depth), scale,
                             offset);
            }
            Issue(builtIn, eye, attached.projectionMatrix, attached.projectionMatrix);
            builtIn.Blit(new RenderTargetIdentifier(texture), screen, scale, offset);
        }

        /// <summary>Turns Unity's render textures, whose first row is the lowest one, upside down, and back.</summary>
        public static Vector4 FlipScaleBias
        {
            get { return SystemInfo.graphicsUVStartsAtTop ? new Vector4(1, -1, 0, 1) : new Vector4(1, 1, 0, 0); }
        }

        /// <summary>
        /// The texture that is foveated, of the size and format of a camera's target. Null: nothing can be foveated now.
        /// eye: whose pass of multi-pass XR it is; Mono otherwise.
        /// </summary>
        public RenderTexture Target(RenderTextureDescriptor like, Camera.MonoOrStereoscopicEye eye)
        {
            int pass = PassOf(eye);
            if (!isActiveAndEnabled || !FoveaPlugin.IsReady)
            {
                return null;
            }
            while (views.Count <= pass)
            {
                views.Add(new View());
            }
            View view = views[pass];
            view.HasDepth = false;
            Make(ref view.Texture, ref view.Pointer, Describe(like), FilterMode.Bilinear);
            return view.Texture;
        }

        /// <summary>
        /// The texture for the depths of what the last Target has, of its size, which the pipeline fills from its own with the
        /// same flip before Issue. Null: the operators need none.
        /// </summary>
        public RenderTexture DepthTarget(Camera.MonoOrStereoscopicEye eye)
        {
            View view = views[PassOf(eye)];
            view.HasDepth = FoveaPlugin.NeedsDepth;
            if (!view.HasDepth)
            {
                return null;
            }
            RenderTextureDescriptor wanted = view.Texture.descriptor;
            wanted.graphicsFormat = GraphicsFormat.R32_SFloat;
            Make(ref view.Depth, ref view.DepthPointer, wanted, FilterMode.Point);
            return view.Depth;
        }

        static void Make(ref RenderTexture texture, ref IntPtr pointer, RenderTextureDescriptor wanted, FilterMode filter)
        {
            if (texture == null || !texture.IsCreated() || !Same(texture.descriptor, wanted))
            {
                Drop(texture);
                texture = new RenderTexture(wanted) { name = "Fovea", filterMode = filter };
                texture.Create();
                // It waits for the render thread, and so comes once for each texture.
                pointer = texture.GetNativeTexturePtr();
            }
        }

        static void Drop(RenderTexture texture)
        {
            if (texture != null)
            {
                texture.Release();
                Destroy(texture);
            }
        }

        static RenderTextureDescriptor Describe(RenderTextureDescriptor like)
        {
            RenderTextureDescriptor wanted = like;
            wanted.depthBufferBits = 0;
            wanted.msaaSamples = 1;
            wanted.useMipMap = false;
            wanted.autoGenerateMips = false;
            wanted.enableRandomWrite = false;
            wanted.useDynamicScale = false;
            if (Array.IndexOf(Formats, like.graphicsFormat) < 0)
            {
                wanted.graphicsFormat = GraphicsFormat.R16G16B16A16_SFloat;
            }
            return wanted;
        }

        static readonly GraphicsFormat[] Formats =
        {
            GraphicsFormat.R8G8B8A8_UNorm, GraphicsFormat.R8G8B8A8_SRGB, GraphicsFormat.B8G8R8A8_UNorm,
            GraphicsFormat.B8G8R8A8_SRGB, GraphicsFormat.B10G11R11_UFloatPack32, GraphicsFormat.R16G16B16A16_SFloat,
        };

        static bool Same(RenderTextureDescriptor a, RenderTextureDescriptor b)
        {
            return a.width == b.width && a.height == b.height && a.volumeDepth == b.volumeDepth &&
                   a.graphicsFormat == b.graphicsFormat;
        }

        /// <summary>Records the events that foveate the texture of that eye's pass.</summary>
        public void Issue(CommandBuffer commands, Camera.MonoOrStereoscopicEye eye, Matrix4x4 projection,
                          Matrix4x4 rightProjection)
        {
            int pass = PassOf(eye);
            View view = views[pass];
            var block = new Native.Block
            {
                StructBytes = (uint)BlockBytes,
                Version = Native.Version,
                Camera = IdOf(pass),
                Texture = view.Pointer,
                Eyes = view.Texture.volumeDepth >= 2 ? 2u : 1u,
                Flags = FlagsOf(eye),
                Left = EyeOf(pass == 0 ? gaze : rightGaze, projection),
                Right = EyeOf(rightGaze, rightProjection),
                Strength = strength,
                Depth = DepthOf(view, projection),
            };
            view.Issued = true;
            IntPtr data = Write(block);
            if (FoveaPlugin.Call(() => Native.fovea_unity_uses_queue(), 0) != 0)
            {
                Event(commands, Native.Begin, data);
                Event(commands, Native.Queue, data);
                Event(commands, Native.End, data);
            }
            else
            {
                Event(commands, Native.Record, data);
            }
        }

        static int PassOf(Camera.MonoOrStereoscopicEye eye)
        {
            return eye == Camera.MonoOrStereoscopicEye.Right ? 1 : 0;
        }

        uint FlagsOf(Camera.MonoOrStereoscopicEye eye)
        {
            return Native.OwnStrength | (gazeFrom == GazeFrom.Source ? Native.GazeOfSource : 0) |
                   (eye == Camera.MonoOrStereoscopicEye.Left ? Native.LeftEye : 0) |
                   (eye == Camera.MonoOrStereoscopicEye.Right ? Native.RightEye : 0);
        }

        ulong IdOf(int pass)
        {
            return id + (ulong)pass;
        }

        Native.Eye EyeOf(Vector2 viewport, Matrix4x4 projection)
        {
            var eye = new Native.Eye { XUv = viewport.x, YUv = 1.0 - viewport.y, Usable = gazeIsKnown ? 1u : 0u };
            if (useProjection && projection.m00 != 0f && projection.m11 != 0f && projection.m33 == 0f)
            {
                eye.Left = (1f - projection.m02) / projection.m00;
                eye.Right = (1f + projection.m02) / projection.m00;
                eye.Up = (1f + projection.m12) / projection.m11;
                eye.Down = (1f - projection.m12) / projection.m11;
            }
            return eye;
        }

        /// <summary>The matrix that the GPU has says what values mean, whether z is reversed and where the planes are.</summary>
        static Native.Depth DepthOf(View view, Matrix4x4 projection)
        {
            if (!view.HasDepth)
            {
                return new Native.Depth();
            }
            Matrix4x4 gpu = GL.GetGPUProjectionMatrix(projection, true);
            double scale = gpu.m22;
            double offset = gpu.m23;
            bool linear = projection.m33 != 0f; // orthographic
            double now = Time.unscaledTimeAsDouble;
            // Drawn again at the same time, it follows on itself all the same.
            double elapsed = view.DepthTime == 0.0 ? 0.0 : Math.Max(now - view.DepthTime, 1e-6);
            view.DepthTime = now;
            return new Native.Depth
            {
                Texture = view.DepthPointer,
                IsLinear = linear ? 1u : 0u,
                ZeroM = linear ? offset / scale : Math.Abs(offset / scale),
                OneM = linear ? (offset - 1.0) / scale : Math.Abs(offset / (scale + 1.0)),
                ElapsedS = elapsed,
            };
        }

        static IntPtr Write(Native.Block block)
        {
            int frame = Time.frameCount;
            // Numbers that begin anew, as in the next play mode, make this one large.
            bool read = Places.Count > 0 && unchecked((uint)(frame - Places.Peek().Frame)) >= KeptFrames;
            IntPtr data = read ? Places.Dequeue().Data : Marshal.AllocHGlobal(BlockBytes);
            Marshal.StructureToPtr(block, data, false);
            Places.Enqueue(new Place { Data = data, Frame = frame });
            return data;
        }

        static void Event(CommandBuffer commands, int which, IntPtr data)
        {
            commands.IssuePluginEventAndData(Native.fovea_unity_event_function(),
                                             Native.fovea_unity_event_base() + which, data);
        }

        /// <summary>The native side frees what the frames have used, when the GPU is done with them.</summary>
        void Forget(int pass)
        {
            View view = views[pass];
            if (view.Issued && FoveaPlugin.IsReady)
            {
                var block = new Native.Block
                {
                    StructBytes = (uint)BlockBytes,
                    Version = Native.Version,
                    Camera = IdOf(pass),
                    Eyes = 1,
                };
                var commands = new CommandBuffer { name = "Fovea" };
                Event(commands, Native.Release, Write(block));
                Graphics.ExecuteCommandBuffer(commands);
                commands.Release();
            }
            Drop(view.Texture);
            Drop(view.Depth);
        }
    }
}
