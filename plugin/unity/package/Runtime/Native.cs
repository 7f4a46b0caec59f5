// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using System.Runtime.InteropServices;

namespace Fovea
{
    /// <summary>libGfxPluginFovea.so, as plugin/unity/fovea_unity.h declares it.</summary>
    internal static class Native
    {
        const string Library = "GfxPluginFovea";

        public const uint Version = 2;
        public const uint GazeOfSource = 2;
        public const uint OwnStrength = 4;
        public const uint LeftEye = 8;
        public const uint RightEye = 16;

        public const int Begin = 0;
        public const int Queue = 1;
        public const int End = 2;
        public const int Record = 3;
        public const int Release = 4;

        [StructLayout(LayoutKind.Sequential)]
        public struct Eye
        {
            public double XUv; // from the upper left corner
            public double YUv;
            public float Left; // tangents from the view axis to the edges
            public float Right;
            public float Up;
            public float Down;
            public uint Usable;
            public uint Reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        public struct Depth
        {
            public IntPtr Texture;
            public uint IsLinear;
            public uint Reserved;
            public double ZeroM; // the distances of the values 0 and 1
            public double OneM;
            public double FocusM;
            public double ElapsedS;
        }

        [StructLayout(LayoutKind.Sequential)]
        public struct Block
        {
            public uint StructBytes;
            public uint Version;
            public ulong Camera;
            public IntPtr Texture;
            public uint WidthPx;
            public uint HeightPx;
            public uint Eyes;
            public uint Flags;
            public Eye Left;
            public Eye Right;
            public double Strength;
            public Depth Depth;
        }

        [StructLayout(LayoutKind.Sequential)]
        public struct Stats
        {
            public uint StructBytes;
            public int Backend;
            public ulong Frames;
            public ulong FramesPassedThrough;
            public double GpuUs;
            public double CpuUs;
        }

        [DllImport(Library)]
        public static extern IntPtr fovea_unity_event_function();

        [DllImport(Library)]
        public static extern int fovea_unity_event_base();

        [DllImport(Library)]
        public static extern int fovea_unity_uses_queue();

        [DllImport(Library)]
        public static extern int fovea_unity_needs_depth();

        [DllImport(Library)]
        public static extern int fovea_unity_configure([MarshalAs(UnmanagedType.LPUTF8Str)] string json,
                                                       [Out] byte[] error, int bytes);

        [DllImport(Library)]
        public static extern int fovea_unity_configure_file([MarshalAs(UnmanagedType.LPUTF8Str)] string file,
                                                            [Out] byte[] error, int bytes);

        [DllImport(Library)]
        public static extern int fovea_unity_set([MarshalAs(UnmanagedType.LPUTF8Str)] string path,
                                                 [MarshalAs(UnmanagedType.LPUTF8Str)] string value,
                                                 [Out] byte[] error, int bytes);

        [DllImport(Library)]
        public static extern int fovea_unity_get([MarshalAs(UnmanagedType.LPUTF8Str)] string path,
                                                 [Out] byte[] text, int bytes);

        [DllImport(Library)]
        public static extern int fovea_unity_log([Out] byte[] text, int bytes);

        [DllImport(Library)]
        public static extern int fovea_unity_get_stats(ulong camera, ref Stats stats);
    }
}
