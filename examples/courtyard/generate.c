// courtyard-generate: computes the example scene and writes it as glTF 2.0.
//   courtyard-generate <folder>    writes courtyard.gltf, courtyard.bin, its images, and lantern.glb

#include "scene.h"

#include <stdio.h>

/// A turn that makes a node's -Z, where cameras and directional lights look, point along `way`.
static vec4 looking(vec3 way)
{
	vec3 d = unit3(way);
	vec4 yaw = quat_turn((vec3){ 0.0f, 1.0f, 0.0f }, atan2f(-d.x, -d.z));
	return quat_product(yaw, quat_turn((vec3){ 1.0f, 0.0f, 0.0f }, asinf(d.y)));
}

static void add_camera(scene *s, const char *name, int camera, vec3 from, vec3 at)
{
	node n = node_named(name, -1);
	n.camera = camera;
	n.translation = from;
	n.rotation = looking(sub3(at, from));
	gltf_node(s->g, &n);
}

void add_views(scene *s)
{
	node sun = node_named("Sun", -1);
	sun.light = gltf_light(s->g, "Sun", "directional", (vec3){ 1.0f, 0.76f, 0.49f }, 5.0f, 0.0f);
	sun.translation = (vec3){ -9.0f, 7.5f, 5.0f };
	sun.rotation = looking((vec3){ 0.80f, -0.56f, -0.42f });
	gltf_node(s->g, &sun);
	const float wide = 16.0f / 9.0f;
	add_camera(s, "ViewFromGate", gltf_perspective(s->g, "ViewFromGate", 0.70f, wide, 0.1f, 300.0f),
		(vec3){ 0.9f, 2.05f, 8.9f }, (vec3){ -0.1f, 1.62f, -1.0f });
	add_camera(s, "ViewFromTree", gltf_perspective(s->g, "ViewFromTree", 0.80f, wide, 0.1f, 300.0f),
		(vec3){ -4.4f, 2.0f, -3.6f }, (vec3){ 1.6f, 0.9f, 1.0f });
	add_camera(s, "Plan", gltf_orthographic(s->g, "Plan", 10.0f, 5.625f, 0.1f, 40.0f), (vec3){ 0.0f, 20.0f, -0.4f },
		(vec3){ 0.0f, 0.0f, -0.4001f });
}

static void write_courtyard(const char *folder)
{
	scene s = { .g = gltf_new(folder, "courtyard", false) };
	s.root = gltf_place(s.g, "Courtyard", -1, -1, (vec3){ 0 });
	add_materials(&s);
	add_architecture(&s);
	add_fountain(&s);
	add_garden(&s);
	add_statues(&s);
	add_furniture(&s);
	add_instruments(&s);
	add_banner(&s);
	add_blob(&s);
	add_views(&s);
	gltf_write(s.g);
}

int main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: courtyard-generate <folder>\n");
		return 2;
	}
	write_courtyard(argv[1]);
	write_lantern(argv[1]);
	return 0;
}
