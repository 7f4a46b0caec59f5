// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System.Collections.Generic;
using UnityEngine;
using UnityEngine.Rendering;

namespace Fovea
{
    /// <summary>
    /// Textures of FoveaCameras as the scriptable pipelines' blits take them. Releasing a handle may destroy its texture, so
    /// that one stays as long as the texture does.
    /// </summary>
    public sealed class RenderTextureHandles
    {
        readonly Dictionary<RenderTexture, RTHandle> handles = new Dictionary<RenderTexture, RTHandle>();

        public RTHandle Wrap(RenderTexture texture)
        {
            RTHandle handle;
            if (!handles.TryGetValue(texture, out handle))
            {
                ReleaseDestroyed();
                handle = RTHandles.Alloc(texture);
                handles.Add(texture, handle);
            }
            return handle;
        }

        public void Release()
        {
            foreach (RTHandle handle in handles.Values)
            {
                handle.Release();
            }
            handles.Clear();
        }

        void ReleaseDestroyed()
        {
            foreach (RenderTexture texture in new List<RenderTexture>(handles.Keys))
            {
                if (texture == null)
                {
                    handles[texture].Release();
                    handles.Remove(texture);
                }
            }
        }
    }
}
