// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using System.Globalization;
using System.Text;
using UnityEngine;

namespace Fovea
{
    /// <summary>
    /// Settings and messages of the native plugin. The settings are those of Fovea's configuration files and the same for
    /// all cameras. For the main thread.
    /// </summary>
    public static class FoveaPlugin
    {
        static readonly byte[] Text = new byte[4096];
        static bool missing;

        /// <summary>The native plugin is there and Unity runs on Vulkan.</summary>
        public static bool IsReady
        {
            get { return Call(() => Native.fovea_unity_event_base(), -1) >= 0; }
        }

        /// <summary>The operators need depths (dof): cameras draw some, and FoveaCamera gives them.</summary>
        public static bool NeedsDepth
        {
            get { return Call(() => Native.fovea_unity_needs_depth(), 0) != 0; }
        }

        /// <summary>Takes the text of a configuration file; null: the person's own files.</summary>
        /// <returns>False: `error` says what is wrong, and the settings before it stay in force.</returns>
        public static bool Configure(string json, out string error)
        {
            return Answer(Call(() => Native.fovea_unity_configure(json, Text, Text.Length), -1), out error);
        }

        /// <summary>The same from a file.</summary>
        public static bool ConfigureFile(string file, out string error)
        {
            return Answer(Call(() => Native.fovea_unity_configure_file(file, Text, Text.Length), -1), out error);
        }

        /// <summary>Changes one setting: "foveation.strength", "2".</summary>
        public static bool Set(string path, string value, out string error)
        {
            return Answer(Call(() => Native.fovea_unity_set(path, value, Text, Text.Length), -1), out error);
        }

        public static bool Set(string path, double value, out string error)
        {
            return Set(path, value.ToString("R", CultureInfo.InvariantCulture), out error);
        }

        /// <summary>A setting as text, or null where there is no such setting.</summary>
        public static string Get(string path)
        {
            return Call(() => Native.fovea_unity_get(path, Text, Text.Length), -1) == 0 ? Took() : null;
        }

        /// <summary>Writes what Fovea has to say into Unity's console. FoveaCamera does it each frame.</summary>
        public static void WriteLog()
        {
            for (;;)
            {
                int level = Call(() => Native.fovea_unity_log(Text, Text.Length), -1);
                if (level < 0)
                {
                    return;
                }
                string message = "Fovea: " + Took();
                if (level >= 3)
                {
                    Debug.LogError(message);
                }
                else if (level == 2)
                {
                    Debug.LogWarning(message);
                }
                else
                {
                    Debug.Log(message);
                }
            }
        }

        internal static bool Answer(int result, out string error)
        {
            error = result >= 0 ? null : missing ? "libGfxPluginFovea.so is missing" : Took();
            return result >= 0;
        }

        static string Took()
        {
            int length = Array.IndexOf(Text, (byte)0);
            return Encoding.UTF8.GetString(Text, 0, length < 0 ? Text.Length : length);
        }

        /// <summary>Without the library nothing is foveated, and that is said once.</summary>
        internal static T Call<T>(Func<T> function, T without)
        {
            if (missing)
            {
                return without;
            }
            try
            {
                return function();
            }
            catch (Exception exception)
            {
                if (!(exception is DllNotFoundException) && !(exception is EntryPointNotFoundException))
                {
                    throw;
                }
                missing = true;
                Debug.LogError("Fovea: libGfxPluginFovea.so cannot be used, and nothing is foveated. It is for Linux on " +
                               "x86-64 and lies in the package under Runtime/Plugins: " + exception.Message);
                return without;
            }
        }
    }
}
