// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;

namespace UnityEditor
{
    public enum MessageType { None, Info, Warning, Error }

    public class Editor : UnityEngine.ScriptableObject
    {
        public UnityEngine.Object target { get; set; }
        public virtual void OnInspectorGUI() { }
        public virtual bool RequiresConstantRepaint() { return false; }
        public bool DrawDefaultInspector() { return true; }
    }

    public static class EditorGUILayout
    {
        public static void HelpBox(string message, MessageType type) { }
        public static void LabelField(string label, string text) { }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CustomEditor : Attribute { public CustomEditor(Type type) { } }
}
