/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host's tables against the engine's rules, without an engine: hashes are made from their
 * signatures, and the interface's names and versions are listed a second time. */

#include "cmocka_all.h"
#include "host_internal.h"

#include <stdio.h>
#include <string.h>

TEST(every_hash_is_that_of_its_signature)
{
    struct signature signature;
    the_host.level = GD_LEVEL_COUNT; /* all classes are there */
    for (uint32_t i = 0; i < method_row_count; i++) {
        const struct method *row = &method_rows[i];
        assert_true(signature_read(row->signature, &signature));
        if (signature_hash(&signature) != row->hash) {
            fail_msg("%s.%s: %s has the hash %u, the table %u", row->class_name, row->name,
                     row->signature, signature_hash(&signature), row->hash);
        }
        if (row->other_signature) {
            assert_true(signature_read(row->other_signature, &signature));
            assert_int_equal(signature_hash(&signature), row->other_hash);
        }
        assert_non_null(row->run);
        assert_non_null(class_find(row->class_name));
    }
}

/* What generated bindings of the engine have; none of them is in the rows above alone. */
TEST(hashes_are_those_of_the_engine)
{
    static const struct {
        const char *signature;
        uint32_t hash;
    } known[] = {{"RID(RDTextureFormat,RDTextureView,Array=[])", 3709173589},
                 {"RID(int,PackedByteArray={})", 34556762},
                 {"RID(RDShaderSPIRV,String=)", 342949005},
                 {"void(int,RenderData)", 2153422729}, /* _render_callback */
                 {"bool(StringName) const", 2619796661}}; /* Object.has_method */
    struct signature signature;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(signature_read(known[i].signature, &signature));
        assert_int_equal(signature_hash(&signature), known[i].hash);
    }
    const int resize[] = {GD_INT}, append[] = {GD_NIL};
    assert_int_equal(builtin_hash(GD_INT, false, resize, 1), 848867239);
    assert_int_equal(builtin_hash(-1, false, append, 1), 3316032543);
}

TEST(a_signature_that_changes_changes_its_hash)
{
    static const char *const signatures[] = {
        "void(int)", "int(int)",         "void(int,int)",  "void(int=0)", "void(int=1)",
        "void(RID)", "void(int) const",  "void(#A.B)",     "void(#A.C)",  "void(int,...)",
        "void(Foo)", "void(bool=false)", "void(bool=true)"};
    const size_t count = sizeof signatures / sizeof signatures[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            struct signature a, b;
            assert_true(signature_read(signatures[i], &a) && signature_read(signatures[j], &b));
            assert_int_not_equal(signature_hash(&a), signature_hash(&b));
        }
    }
}

/* From the engine's gdextension_interface.json: the first version, 4.x, with each. */
TEST(names_came_with_these_versions)
{
    static const char *const since[] = {
        "1 get_godot_version mem_alloc mem_free print_error_with_message "
        "print_warning_with_message "
        "string_new_with_utf8_chars string_to_utf8_chars variant_get_ptr_constructor "
        "variant_get_ptr_destructor get_variant_from_type_constructor "
        "get_variant_to_type_constructor variant_new_nil variant_destroy variant_get_type "
        "variant_get_ptr_builtin_method packed_byte_array_operator_index array_operator_index "
        "array_set_typed global_get_singleton classdb_construct_object classdb_get_method_bind "
        "object_method_bind_ptrcall object_method_bind_call "
        "classdb_register_extension_class_method classdb_register_extension_class_property "
        "classdb_register_extension_class_property_group classdb_register_extension_class_signal "
        "classdb_register_extension_class_integer_constant classdb_unregister_extension_class "
        "object_set_instance object_set_instance_binding object_destroy ref_get_object "
        "ref_set_object object_get_instance_id object_get_instance_from_id get_library_path",
        "2 string_name_new_with_latin1_chars string_name_new_with_utf8_chars",
        "3 callable_custom_create2 editor_help_load_xml_from_utf8_chars",
        "4 classdb_construct_object2 classdb_register_extension_class4",
        "5 classdb_register_extension_class5 get_godot_version2 register_main_loop_callbacks",
        "6 mem_alloc2 mem_free2",
        "7 classdb_construct_object3 classdb_register_extension_class6"};
    uint32_t listed = 0;
    for (size_t i = 0; i < sizeof since / sizeof since[0]; i++) {
        for (const char *at = since[i] + 2, *end; *at; at = *end ? end + 1 : end) {
            end = at + strcspn(at, " ");
            uint32_t row = 0;
            while (row < interface_row_count &&
                   (strlen(interface_rows[row].name) != (size_t)(end - at) ||
                    strncmp(interface_rows[row].name, at, (size_t)(end - at)) != 0)) {
                row++;
            }
            if (row == interface_row_count ||
                interface_rows[row].since != (uint32_t)(since[i][0] - '0')) {
                fail_msg("%.*s of 4.%c", (int)(end - at), at, since[i][0]);
            }
            listed++;
        }
    }
    assert_int_equal(listed, interface_row_count);
}

TEST(builtin_values_are_as_large_as_in_the_engine)
{
    static const struct {
        int type, bytes;
    } sizes[] = {{GD_STRING, 8},
                 {GD_STRING_NAME, 8},
                 {GD_RID, 8},
                 {GD_CALLABLE, 16},
                 {GD_ARRAY, 8},
                 {GD_DICTIONARY, 8},
                 {GD_VECTOR2, 8},
                 {GD_VECTOR2I, 8},
                 {GD_VECTOR3, 12},
                 {GD_COLOR, 16},
                 {GD_TRANSFORM3D, 48},
                 {GD_PROJECTION, 64},
                 {GD_PACKED_BYTE_ARRAY, 16}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(value_bytes[sizes[i].type], sizes[i].bytes);
    }
    assert_int_equal(sizeof(struct variant), 24);
    assert_int_equal(sizeof(struct gd_class_info), 8 + 19 * sizeof(void *));
    assert_int_equal(sizeof(struct gd_property_info), 48);
    assert_int_equal(sizeof(struct gd_method_info), 88);
}
