// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// A window whose scene is drawn into a layer, which Foveated shows.
import QtQuick
import Fovea

Window {
    width: 720; height: 405
    visible: true
    title: "Fovea in Qt Quick"

    Loader {
        id: scene
        anchors.fill: parent
        source: "engine_qtquick.qml"
    }
    ShaderEffectSource {
        anchors.fill: parent
        sourceItem: scene
        hideSource: true
        Foveated {
            objectName: "foveated"
            anchors.fill: parent
        }
    }
}
