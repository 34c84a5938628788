larder_fuzz(gltf LIBS room_import_cook)
larder_fuzz(glb LIBS room_import_cook)
