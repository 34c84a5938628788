set(cook_test_libs room_cook_cook)
larder_test(test_cook_names LIBS ${cook_test_libs})
larder_test(test_cook_settings LIBS ${cook_test_libs})
larder_test(test_cook_texture LIBS ${cook_test_libs})
larder_test(test_cook_driver LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
larder_test(test_cook_reports LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
larder_test(test_cook_bundle LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
larder_test(test_cook_faults LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
larder_test(test_cook_memory LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
foreach(subject names parts clusters extremes frames lods placement quantized scale skins clips keys morphs materials textures scene faults)
	larder_test(test_cook_model_${subject} LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
endforeach()
# Heavy: every LOD of the corpus, densely sampled.
larder_test(test_cook_model_lods_corpus LIBS ${cook_test_libs}
	SOURCES fixtures/gltf_build.c fixtures/geometry_shapes.c fixtures/lod_shapes.c fixtures/hausdorff.c)
if(TARGET test_cook_model_lods_corpus)
	set_tests_properties(test_cook_model_lods_corpus PROPERTIES LABELS release-only)
endif()

# Heavy: whole folders, twice.
larder_test(test_cook_memory_corpus LIBS ${cook_test_libs} SOURCES fixtures/gltf_build.c)
if(TARGET test_cook_memory_corpus)
	set_tests_properties(test_cook_memory_corpus PROPERTIES LABELS release-only)
endif()
