larder_fuzz(image LIBS room_image_cook)
larder_fuzz(dds LIBS room_image_cook)
larder_fuzz(exr LIBS room_image_cook)
