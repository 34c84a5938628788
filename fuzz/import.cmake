larder_fuzz(gltf LIBS room_import_cook)
larder_fuzz(glb LIBS room_import_cook)
larder_fuzz(meshopt LIBS room_import_cook)
larder_fuzz(draco LIBS room_import_cook)
