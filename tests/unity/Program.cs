// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using System.Runtime.InteropServices;

namespace Fovea
{
    /// <summary>What the package's scripts say to the native plugin, without Unity. Each line is a fact.</summary>
    static class Program
    {
        static void Main()
        {
            string error;
            Console.WriteLine("eye " + Marshal.SizeOf(typeof(Native.Eye)));
            Console.WriteLine("depth " + Marshal.SizeOf(typeof(Native.Depth)) + " at " + Marshal.OffsetOf(typeof(Native.Block), "Depth"));
            Console.WriteLine("block " + Marshal.SizeOf(typeof(Native.Block)));
            Console.WriteLine("texture " + Marshal.OffsetOf(typeof(Native.Block), "Texture"));
            Console.WriteLine("left " + Marshal.OffsetOf(typeof(Native.Block), "Left"));
            Console.WriteLine("usable " + Marshal.OffsetOf(typeof(Native.Eye), "Usable"));
            Console.WriteLine("stats " + Marshal.SizeOf(typeof(Native.Stats)));
            Console.WriteLine("ready " + FoveaPlugin.IsReady);
            Console.WriteLine("right " + FoveaPlugin.Configure("{\"foveation\": {\"strength\": 2}}", out error) + " " + error);
            Console.WriteLine("strength " + FoveaPlugin.Get("foveation.strength"));
            Console.WriteLine("wrong " + FoveaPlugin.Configure("{\"foveation\": {\"strength\": 9}}", out error) + " " + error);
            Console.WriteLine("set " + FoveaPlugin.Set("foveation.strength", 0.5, out error));
            Console.WriteLine("strength " + FoveaPlugin.Get("foveation.strength"));
            Console.WriteLine("none " + (FoveaPlugin.Get("no.such") == null));
            FoveaPlugin.WriteLog();
        }
    }
}
