// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using UnityEditor;
using UnityEngine;

namespace Fovea
{
    /// <summary>The component's fields, with what keeps it from working and what a frame costs.</summary>
    [CustomEditor(typeof(FoveaCamera))]
    sealed class FoveaCameraEditor : Editor
    {
        public override bool RequiresConstantRepaint()
        {
            return Application.isPlaying; // the times change
        }

        public override void OnInspectorGUI()
        {
            DrawDefaultInspector();
            if (!FoveaPlugin.IsReady)
            {
                EditorGUILayout.HelpBox("Nothing is foveated: Fovea needs Linux and Vulkan (Project Settings, Player, " +
                                        "Graphics APIs), and the editor a restart after the package was imported.",
                                        MessageType.Warning);
                return;
            }
            double gpuUs;
            double cpuUs;
            if (Application.isPlaying && ((FoveaCamera)target).TryGetCost(out gpuUs, out cpuUs))
            {
                EditorGUILayout.LabelField("Cost of a frame", string.Format("GPU {0:F0} us, CPU {1:F0} us", gpuUs, cpuUs));
            }
        }
    }
}
