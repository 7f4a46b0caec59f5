/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host's tables against the engine's rules, without an engine: hashes are made from their
 * signatures. */

#include "cmocka_all.h"
#include "host_internal.h"

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
