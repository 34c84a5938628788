larder_fuzz(image LIBS room_image_cook)
