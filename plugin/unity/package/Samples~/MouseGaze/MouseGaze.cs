// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using UnityEngine;

namespace Fovea.Samples
{
    /// <summary>The pointer is the gaze. Put it beside a FoveaCamera. It takes the Input Manager or the Input System, whichever
    /// is active (Project Settings, Player).</summary>
    [RequireComponent(typeof(FoveaCamera))]
    public sealed class MouseGaze : MonoBehaviour
    {
        FoveaCamera foveated;
        Camera drawn;

        void Awake()
        {
            foveated = GetComponent<FoveaCamera>();
            drawn = GetComponent<Camera>();
        }

        void Update()
        {
#if ENABLE_INPUT_SYSTEM && !ENABLE_LEGACY_INPUT_MANAGER
            var mouse = UnityEngine.InputSystem.Mouse.current;
            if (mouse != null)
            {
                foveated.SetGaze(drawn.ScreenToViewportPoint(mouse.position.ReadValue()));
            }
#else
            foveated.SetGaze(drawn.ScreenToViewportPoint(Input.mousePosition));
#endif
        }
    }
}
