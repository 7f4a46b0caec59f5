# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

## A scene with detail near and far; the pointer stands for the player's gaze.
extends Node3D

const ROWS := 14
const COLUMNS := 9

var effect
var follows_pointer := true


func _ready() -> void:
	effect = $WorldEnvironment.compositor.compositor_effects[0]
	set_properties(OS.get_cmdline_user_args())
	effect.gaze_lost.connect(func() -> void: print("The gaze is lost."))
	effect.gaze_found.connect(func() -> void: print("The gaze is found."))
	var checks := make_checks()
	$Ground.material_override = make_material(checks, Color.WHITE, 100.0)
	for row in ROWS:
		for column in COLUMNS:
			add_box(row, column, checks)


## "strength=2.0", "gaze_uv=Vector2(0.5, 0.5)" behind the "--" of the command line.
func set_properties(arguments: PackedStringArray) -> void:
	for argument in arguments:
		var parts := argument.split("=")
		if parts.size() == 2:
			effect.set(parts[0], str_to_var(parts[1]))
			follows_pointer = follows_pointer and parts[0] != "gaze_uv"


func _process(_delta: float) -> void:
	if not follows_pointer:
		return
	var viewport := get_viewport()
	effect.gaze_uv = viewport.get_mouse_position() / viewport.get_visible_rect().size
	# A pointer outside of the window is no gaze: it is held for a while, and then lost.
	effect.gaze_valid = Rect2(Vector2.ZERO, Vector2.ONE).has_point(effect.gaze_uv)


func add_box(row: int, column: int, checks: Texture2D) -> void:
	var box: MeshInstance3D = $Boxes/Box.duplicate()
	var height := 0.5 + float((row * 7 + column * 5) % 11) / 4.0
	box.position = Vector3((column - COLUMNS / 2.0 + 0.5) * 2.2, height / 2.0, 1.0 - row * 3.0)
	box.scale = Vector3(1.0, height, 1.0)
	box.material_override = make_material(checks, Color.from_hsv(float(row) / ROWS, 0.5, 1.0), 3.0)
	$Boxes.add_child(box)


func make_checks() -> Texture2D:
	var image := Image.create(64, 64, true, Image.FORMAT_RGB8)
	for y in 64:
		for x in 64:
			image.set_pixel(x, y, Color.WHITE if ((x >> 3) + (y >> 3)) % 2 == 0 else Color.DIM_GRAY)
	image.generate_mipmaps()
	return ImageTexture.create_from_image(image)


## Without ambient light: at its shader old software Vulkan crashes (Debian 12's, in LLVM).
func make_material(texture: Texture2D, color: Color, repeats: float) -> Material:
	var material: StandardMaterial3D = $Ground.mesh.material.duplicate()
	material.albedo_texture = texture
	material.albedo_color = color
	material.uv1_scale = Vector3(repeats, repeats, repeats)
	return material
