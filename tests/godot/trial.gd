# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

## Beside the example in an engine: what a player or a script may change while the effect runs, a change every five
## frames, and then the end.
extends Node

var frame := 0
var view := SubViewport.new()
var changes: Array[Callable] = [resize, scale_view, add_view, choose, lose, find, switch_off, switch_on, leave]


func _process(_delta: float) -> void:
	frame += 1
	if frame % 5 == 0:
		changes[int(frame / 5.0) - 1].call()


func effect() -> Object:
	return get_node("/root/Main/WorldEnvironment").compositor.compositor_effects[0]


func resize() -> void:
	get_window().size = Vector2i(902, 504)


func scale_view() -> void:
	print("The window is %s." % get_viewport().get_texture().get_size())
	get_viewport().scaling_3d_scale = 0.6


func add_view() -> void:
	view.size = Vector2i(320, 180)
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	var camera: Camera3D = get_node("/root/Main/Camera3D").duplicate()
	view.add_child(camera)
	add_child(view)


func choose() -> void:
	effect().set("method", "blockwise")
	effect().set("gaze_uv", Vector2(0.4, 0.55))


func lose() -> void:
	view.get_texture().get_image().save_png("res://view.png")
	effect().set("gaze_validity_hold_ms", 0.0)
	effect().set("gaze_valid", false)


func find() -> void:
	effect().set("gaze_valid", true)


func switch_off() -> void:
	effect().set("enabled", false)


func switch_on() -> void:
	effect().set("enabled", true)


func leave() -> void:
	get_tree().quit()
