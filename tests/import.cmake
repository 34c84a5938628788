foreach(subject container json accessor attributes indices material texture node skin animation extras files limits meshopt draco
	instances faults)
	larder_test(test_import_gltf_${subject} SOURCES fixtures/gltf_build.c LIBS room_import_cook)
endforeach()
larder_test(test_import_gltf_memory SOURCES fixtures/gltf_build.c LIBS room_import_cook)
larder_test(test_import_corpus LIBS room_import_cook)
larder_test(test_import_compressed_corpus LIBS room_import_cook)
foreach(subject picture picture_compare picture_faults)
	larder_test(test_import_${subject} LIBS room_cook_cook) # which makes the textures
endforeach()
