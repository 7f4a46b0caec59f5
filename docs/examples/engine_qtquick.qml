// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// Text, lines and a lit model: what shows blur.
import QtQuick
import QtQuick3D

Rectangle {
    color: "#20242c"

    Grid {
        anchors.fill: parent
        columns: 32
        Repeater {
            model: 32 * 18
            Rectangle {
                width: 30; height: 30
                color: (index + Math.floor(index / 32)) % 2 ? "#2c323d" : "#20242c"
                border { color: "#4a5262"; width: 1 }
            }
        }
    }

    View3D {
        anchors.fill: parent
        environment: SceneEnvironment { backgroundMode: SceneEnvironment.Transparent }
        PerspectiveCamera { z: 420 }
        DirectionalLight { eulerRotation: Qt.vector3d(-30, -40, 0) }
        Repeater3D {
            model: 5
            Model {
                source: index % 2 ? "#Sphere" : "#Cube"
                x: -300 + index * 150
                eulerRotation: Qt.vector3d(25, 30 + 20 * index, 0)
                scale: Qt.vector3d(0.9, 0.9, 0.9)
                materials: PrincipledMaterial { baseColor: Qt.hsva(index / 5, 0.7, 0.95, 1); roughness: 0.4 }
            }
        }
    }

    Column {
        anchors { left: parent.left; bottom: parent.bottom; margins: 18 }
        Repeater {
            model: ["Qt Quick draws this scene.", "Fovea keeps it sharp where you look.", "0123456789 abcdefghijklmnopqrstuvwxyz"]
            Text { text: modelData; color: "#f0f2f6"; font.pixelSize: 20 }
        }
    }
}
