// The kernels of cubemaps. Lanes are texels of the output, or directions: none looks at another.

#include "image/cubemap_kernel.h"

void LRD_KERNEL(lrd_cube_sum)(lrd_light_sums *sums, const lrd_light_node *nodes, size_t count);
void LRD_KERNEL(lrd_cube_longitudes)(size_t count, const float *x, const float *y, const float *z, float *u, float *v);

typedef struct lobes
{
	lrd_f32s x, y, z;
	lrd_f32s alpha_squared, slope;
} lobes;

// With c the chord from n to l, n.l = 1 - c^2 / 2 and (n.h)^2 = 1 - c^2 / 4: the narrowest lobes keep their precision,
// which a dot product near 1 would lose.
static inline lrd_f32s lobe_at(const lobes *around, const float place[3])
{
	lrd_f32s x = around->x - place[0];
	lrd_f32s y = around->y - place[1];
	lrd_f32s z = around->z - place[2];
	lrd_f32s chord = x * x + y * y + z * z;
	lrd_f32s cosine = lrd_max(1.0f - chord * 0.5f, (lrd_f32s){ 0 });
	lrd_f32s spread = around->alpha_squared + around->slope * chord;
	return cosine / (spread * spread);
}

void LRD_KERNEL(lrd_cube_sum)(lrd_light_sums *sums, const lrd_light_node *nodes, size_t count)
{
	for (size_t first = 0; first < LRD_SUM_TEXELS; first += LRD_LANES)
	{
		const lobes around = {
			.x = lrd_f32s_load(sums->x + first),
			.y = lrd_f32s_load(sums->y + first),
			.z = lrd_f32s_load(sums->z + first),
			.alpha_squared = lrd_f32s_of(sums->alpha_squared),
			.slope = lrd_f32s_of((1.0f - sums->alpha_squared) * 0.25f),
		};
		lrd_f32s weights = lrd_f32s_load(sums->weight + first);
		lrd_f32s red = lrd_f32s_load(sums->light[0] + first);
		lrd_f32s green = lrd_f32s_load(sums->light[1] + first);
		lrd_f32s blue = lrd_f32s_load(sums->light[2] + first);
		lrd_f32s alpha = lrd_f32s_load(sums->light[3] + first);
		for (size_t i = 0; i < count; i++)
		{
			const lrd_light_node *node = nodes + i;
			lrd_f32s lobe = lobe_at(&around, node->middle);
			weights += lobe_at(&around, node->area) * node->solid_angle;
			red += lobe * node->light[0];
			green += lobe * node->light[1];
			blue += lobe * node->light[2];
			alpha += lobe * node->light[3];
		}
		lrd_f32s_store(sums->weight + first, weights);
		lrd_f32s_store(sums->light[0] + first, red);
		lrd_f32s_store(sums->light[1] + first, green);
		lrd_f32s_store(sums->light[2] + first, blue);
		lrd_f32s_store(sums->light[3] + first, alpha);
	}
}

// As lrd_quarter_angle (image/cubemap_maths.h), to the precision of a float.
static lrd_f32s quarter_angle(lrd_f32s y, lrd_f32s x)
{
	const lrd_f32s one = lrd_f32s_of(1.0f);
	lrd_f32s longer = lrd_max(lrd_max(x, y), lrd_f32s_of(1e-30f));
	lrd_f32s t = lrd_min(x, y) / longer;
	t = t / (one + lrd_sqrt(one + t * t));
	t = t / (one + lrd_sqrt(one + t * t));
	lrd_f32s square = t * t;
	lrd_f32s series = lrd_f32s_of(1.0f / 9);
	series = 1.0f / 7 - square * series;
	series = 1.0f / 5 - square * series;
	series = 1.0f / 3 - square * series;
	series = 1.0f - square * series;
	lrd_f32s angle = 4.0f * t * series;
	return lrd_select(lrd_less(y, x), angle, 1.5707963267948966f - angle);
}

void LRD_KERNEL(lrd_cube_longitudes)(size_t count, const float *x, const float *y, const float *z, float *u, float *v)
{
	const float pi = 3.14159265358979323846f;
	const lrd_f32s zero = { 0 };
	for (size_t i = 0; i < count; i += LRD_LANES)
	{
		lrd_f32s across = lrd_f32s_load(x + i);
		lrd_f32s up = lrd_f32s_load(y + i);
		lrd_f32s ahead = lrd_f32s_load(z + i);
		lrd_f32s longitude = quarter_angle(lrd_abs(across), lrd_abs(ahead));
		longitude = lrd_select(lrd_less(ahead, zero), pi - longitude, longitude);
		longitude = lrd_select(lrd_less(across, zero), -longitude, longitude);
		lrd_f32s latitude = quarter_angle(lrd_abs(up), lrd_sqrt(across * across + ahead * ahead));
		latitude = lrd_select(lrd_less(up, zero), -latitude, latitude);
		lrd_f32s_store(u + i, longitude * (0.5f / pi) + 0.5f);
		lrd_f32s_store(v + i, 0.5f - latitude * (1.0f / pi));
	}
}
