# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

## Times, and a control for some of the effect's properties, made from what the effect says of them.
extends PanelContainer

const SHOWN: Array[String] = ["strength", "model", "method", "paper_e2_deg", "debug_view", "debug_split"]

var effect
var head := Label.new()


func _ready() -> void:
	effect = get_node("/root/Main/WorldEnvironment").compositor.compositor_effects[0]
	$Lines.add_child(head)
	for property in effect.get_property_list():
		if property.name in SHOWN:
			add_line(property)


func _process(_delta: float) -> void:
	head.text = "%d frames a second\ngaze %.2f, %.2f" % [
		Engine.get_frames_per_second(), effect.gaze_uv.x, effect.gaze_uv.y]


func add_line(property: Dictionary) -> void:
	var label := Label.new()
	label.text = property.name
	$Lines.add_child(label)
	if property.hint == PROPERTY_HINT_ENUM:
		$Lines.add_child(make_choice(property))
	elif property.hint == PROPERTY_HINT_RANGE:
		$Lines.add_child(make_slider(property))


func make_slider(property: Dictionary) -> HSlider:
	var slider := HSlider.new()
	var limits: PackedStringArray = property.hint_string.split(",")
	slider.min_value = limits[0].to_float()
	slider.max_value = limits[1].to_float()
	slider.step = limits[2].to_float()
	slider.value = effect.get(property.name)
	slider.value_changed.connect(func(value: float) -> void: effect.set(property.name, value))
	return slider


func make_choice(property: Dictionary) -> OptionButton:
	var choice := OptionButton.new()
	var words: PackedStringArray = property.hint_string.split(",")
	for word in words:
		choice.add_item(word)
	choice.selected = words.find(effect.get(property.name))
	choice.item_selected.connect(func(index: int) -> void: effect.set(property.name, words[index]))
	return choice
