# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

## Beside the example in an engine: what a player or a script may change while the effect runs, a change every ten
## frames, and then the end.
extends Node

var frame := 0
var changes: Array[Callable] = [resize, scale_view, add_view, choose, switch_off, switch_on, leave]


func _process(_delta: float) -> void:
	frame += 1
	if frame % 10 == 0:
		changes[int(frame / 10.0) - 1].call()


func effect() -> Object:
	return get_node("/root/Main/WorldEnvironment").compositor.compositor_effects[0]


func resize() -> void:
	get_window().size = Vector2i(902, 504)


func scale_view() -> void:
	get_viewport().scaling_3d_scale = 0.6


func add_view() -> void:
	var view := SubViewport.new()
	view.size = Vector2i(320, 180)
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	view.add_child(Camera3D.new())
	add_child(view)


func choose() -> void:
	effect().set("method", "blockwise")
	effect().set("gaze_uv", Vector2(0.4, 0.55))


func switch_off() -> void:
	effect().set("enabled", false)


func switch_on() -> void:
	effect().set("enabled", true)


func leave() -> void:
	get_tree().quit()
