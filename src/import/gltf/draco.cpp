// import/gltf/draco.cpp: calls libdraco. The one file in C++: no exception leaves it.
//
// libdraco's own entry point decodes whatever a stream claims: a few bytes can make it allocate gigabytes, and count to
// two thousand million. Its decoders are used one by one here, and stopped where they have read counts and not yet
// believed them: before the connectivity (bitstream specification 2.2, "Edgebreaker decoder" and "Sequential
// connectivity decoder"), before the values of attributes, and before the orientations that texture coordinates are
// predicted with, which are the one number in between that nothing bounds.

#include "import/gltf/draco.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include <draco/attributes/attribute_octahedron_transform.h>
#include <draco/attributes/attribute_quantization_transform.h>
#include <draco/compression/config/decoder_options.h>
#include <draco/compression/entropy/symbol_decoding.h>
#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/decoder_buffer.h>
#include <draco/core/draco_types.h>
#include <draco/core/varint_decoding.h>
#include <draco/mesh/mesh.h>

// Bytes that libdraco takes for each face (corner tables, what is still to be visited), and further for each face and
// attribute that has seams of its own. Measured.
static const uint64_t face_bytes = 72;
static const uint64_t seam_bytes = 24;

struct lrd_draco
{
	draco::Mesh mesh;
	uint64_t cost = 0;
};

namespace
{

// What a decoder may do, what it has found, and why it was stopped.
struct guard
{
	const lrd_draco_limits *limits;
	lrd_draco_result *result;
	uint64_t cost = 0;

	bool stop(lrd_draco_problem problem, uint64_t found)
	{
		result->problem = problem;
		result->found = found;
		return false;
	}

	bool pay(uint64_t bytes)
	{
		cost += bytes;
		return cost <= limits->bytes || stop(LRD_DRACO_TOO_LARGE, cost);
	}

	bool allow_faces(uint64_t faces, uint64_t seams)
	{
		return (faces <= limits->faces || stop(LRD_DRACO_FACES, faces)) &&
			   pay(faces * (face_bytes + seam_bytes * seams));
	}

	// Attributes are known, their values not yet allocated: values, and as many integers to predict them with.
	bool allow_attributes(const draco::PointCloud &cloud)
	{
		if (cloud.num_points() != limits->points)
		{
			return stop(LRD_DRACO_POINTS, cloud.num_points());
		}
		for (int32_t i = 0; i < cloud.num_attributes(); i++)
		{
			const draco::PointAttribute &attribute = *cloud.attribute(i);
			int64_t size = draco::DataTypeLength(attribute.data_type());
			if (size < 1)
			{
				return false;
			}
			uint64_t each = attribute.num_components() * (uint64_t(size) + sizeof(int32_t)) + sizeof(uint32_t);
			if (!pay(each * cloud.num_points()))
			{
				return false;
			}
		}
		return true;
	}
};

// How many orientations there are to be (section "Texture coordinates prediction"): what follows an attribute's
// symbols, which have to be decoded to find it. False: the stream is damaged, and whoever reads on will see.
bool read_orientations(draco::DecoderBuffer ahead, bool varint, size_t entries, int components, uint32_t *count)
{
	const size_t values = entries * size_t(components);
	uint8_t compressed = 0;
	if (!ahead.Decode(&compressed))
	{
		return false;
	}
	if (compressed != 0)
	{
		std::vector<uint32_t> symbols(values);
		if (!draco::DecodeSymbols(static_cast<uint32_t>(values), components, &ahead, symbols.data()))
		{
			return false;
		}
	}
	else
	{
		uint8_t bytes = 0;
		if (!ahead.Decode(&bytes) || uint64_t(ahead.remaining_size()) < uint64_t{ bytes } * values)
		{
			return false;
		}
		ahead.Advance(int64_t(bytes * values));
	}
	return varint ? draco::DecodeVarint(count, &ahead) : ahead.Decode(count);
}

class edgebreaker : public draco::MeshEdgebreakerDecoder
{
  public:
	explicit edgebreaker(guard *given) : watch(given)
	{
	}

	// Asked for when an attribute's prediction is set up: its method and its transform have just been read.
	const draco::MeshAttributeIndicesEncodingData *GetAttributeEncodingData(int attribute) const override
	{
		const draco::MeshAttributeIndicesEncodingData *data =
			MeshEdgebreakerDecoder::GetAttributeEncodingData(attribute);
		draco::DecoderBuffer *bytes = const_cast<edgebreaker *>(this)->buffer();
		if (data == nullptr || bytes->decoded_size() < 2)
		{
			return data;
		}
		const int method = bytes->data_head()[-2];
		const bool old = method == draco::MESH_PREDICTION_TEX_COORDS_DEPRECATED;
		const size_t entries = data->encoded_attribute_value_index_to_corner_map.size();
		uint32_t count = 0;
		if ((old || method == draco::MESH_PREDICTION_TEX_COORDS_PORTABLE) &&
			read_orientations(*bytes, old, entries, point_cloud()->attribute(attribute)->num_components(), &count) &&
			count > entries)
		{
			(void)watch->stop(LRD_DRACO_ORIENTATIONS, count);
			bytes->Advance(bytes->remaining_size()); // there is nothing more to read
		}
		return data;
	}

  protected:
	bool DecodeConnectivity() override
	{
		draco::DecoderBuffer ahead = *buffer();
		uint32_t vertices = 0, faces = 0;
		uint8_t seams = 0;
		return draco::DecodeVarint(&vertices, &ahead) && draco::DecodeVarint(&faces, &ahead) && ahead.Decode(&seams) &&
			   watch->allow_faces(faces, seams) && MeshEdgebreakerDecoder::DecodeConnectivity();
	}

	bool DecodeAllAttributes() override
	{
		return watch->allow_attributes(*point_cloud()) && MeshEdgebreakerDecoder::DecodeAllAttributes();
	}

  private:
	guard *watch;
};

class sequential : public draco::MeshSequentialDecoder
{
  public:
	explicit sequential(guard *given) : watch(given)
	{
	}

  protected:
	bool DecodeConnectivity() override
	{
		draco::DecoderBuffer ahead = *buffer();
		uint32_t faces = 0;
		return draco::DecodeVarint(&faces, &ahead) && watch->allow_faces(faces, 0) &&
			   MeshSequentialDecoder::DecodeConnectivity();
	}

	bool DecodeAllAttributes() override
	{
		return watch->allow_attributes(*point_cloud()) && MeshSequentialDecoder::DecodeAllAttributes();
	}

  private:
	guard *watch;
};

bool fail(lrd_draco_result *result, lrd_draco_problem problem, const char *text)
{
	if (result->problem == LRD_DRACO_FINE)
	{
		result->problem = problem;
		(void)snprintf(result->text, sizeof result->text, "%s", text);
	}
	return false;
}

bool check_header(const char *data, size_t size, lrd_draco_result *result, draco::DracoHeader *header)
{
	draco::DecoderBuffer buffer;
	buffer.Init(data, size);
	const draco::Status status = draco::PointCloudDecoder::DecodeHeader(&buffer, header);
	if (!status.ok())
	{
		return fail(result, LRD_DRACO_DAMAGED, status.error_msg());
	}
	if (header->version_major != 2 || header->version_minor != 2)
	{
		(void)snprintf(result->text, sizeof result->text, "of bitstream %u.%u", unsigned{ header->version_major },
			unsigned{ header->version_minor });
		result->problem = LRD_DRACO_OTHER;
		return false;
	}
	if (header->encoder_type != draco::TRIANGULAR_MESH)
	{
		return fail(result, LRD_DRACO_OTHER, "a point cloud");
	}
	return header->encoder_method <= draco::MESH_EDGEBREAKER_ENCODING ||
		   fail(result, LRD_DRACO_OTHER, "a mesh of an unknown encoding");
}

template <typename Decoder> bool run(const char *data, size_t size, guard *watch, lrd_draco *draco)
{
	Decoder decoder(watch);
	draco::DecoderBuffer buffer;
	buffer.Init(data, size);
	draco::DecoderOptions options;
	for (int type = 0; type < draco::GeometryAttribute::NAMED_ATTRIBUTES_COUNT; type++)
	{
		// Quantised values as they are: what makes floats of them is here.
		options.SetAttributeBool(static_cast<draco::GeometryAttribute::Type>(type), "skip_attribute_transform", true);
	}
	const draco::Status status = decoder.Decode(options, &buffer, &draco->mesh);
	draco->cost = watch->cost;
	return status.ok() || fail(watch->result, LRD_DRACO_DAMAGED, status.error_msg());
}

bool decode(const char *data, size_t size, guard *watch, lrd_draco *draco)
{
	draco::DracoHeader header;
	if (!check_header(data, size, watch->result, &header))
	{
		return false;
	}
	return header.encoder_method == draco::MESH_SEQUENTIAL_ENCODING ? run<sequential>(data, size, watch, draco)
																	: run<edgebreaker>(data, size, watch, draco);
}

// Faces are libdraco's word; what is made of them must be in range whatever it says.
bool check_faces(const draco::Mesh &mesh, lrd_draco_result *result)
{
	for (uint32_t f = 0; f < mesh.num_faces(); f++)
	{
		for (const draco::PointIndex &corner : mesh.face(draco::FaceIndex(f)))
		{
			if (corner.value() >= mesh.num_points())
			{
				return fail(result, LRD_DRACO_DAMAGED, "a face names a point that is not there");
			}
		}
	}
	return true;
}

template <typename From, typename To> bool convert(From from, To *to)
{
	if (std::is_floating_point<From>::value && !std::is_floating_point<To>::value)
	{
		return false;
	}
	if (!std::is_floating_point<To>::value &&
		(static_cast<double>(from) < static_cast<double>(std::numeric_limits<To>::lowest()) ||
			static_cast<double>(from) > static_cast<double>(std::numeric_limits<To>::max())))
	{
		return false;
	}
	*to = static_cast<To>(from);
	return true;
}

// Where a point's value of `size` bytes lies, or nullptr. Points may share values; which, is decoded too, and checked.
const uint8_t *value_of(const draco::PointAttribute &attribute, uint32_t point, size_t size)
{
	if (!attribute.is_mapping_identity() && point >= attribute.indices_map_size())
	{
		return nullptr;
	}
	const int64_t offset = attribute.GetBytePos(attribute.mapped_index(draco::PointIndex(point)));
	const size_t available = attribute.buffer()->data_size();
	if (offset < 0 || size > available || size_t(offset) > available - size)
	{
		return nullptr;
	}
	return attribute.buffer()->data() + offset;
}

template <typename From, typename To>
bool copy(const draco::PointAttribute &attribute, uint32_t points, uint32_t components, To *to)
{
	for (uint32_t p = 0; p < points; p++)
	{
		const uint8_t *value = value_of(attribute, p, sizeof(From) * components);
		for (uint32_t c = 0; c < components; c++, to++)
		{
			From from;
			if (value == nullptr)
			{
				return false;
			}
			std::memcpy(&from, value + c * sizeof from, sizeof from);
			if (!convert(from, to))
			{
				return false;
			}
		}
	}
	return true;
}

// The floats that integers stand for (sections "Quantized attribute decoder" and "Normal attribute decoder"). libdraco
// would do the same, in whatever order its compiler had it: this gives the same bits everywhere.
bool dequantize(const draco::PointAttribute &attribute, uint32_t points, uint32_t components, float *to)
{
	draco::AttributeQuantizationTransform transform;
	if (!transform.InitFromAttribute(attribute) || transform.quantization_bits() < 1 ||
		transform.quantization_bits() > 30)
	{
		return false;
	}
	const float step = transform.range() / static_cast<float>((1u << transform.quantization_bits()) - 1);
	for (uint32_t p = 0; p < points; p++)
	{
		const uint8_t *value = value_of(attribute, p, sizeof(int32_t) * components);
		if (value == nullptr)
		{
			return false;
		}
		for (uint32_t c = 0; c < components; c++)
		{
			int32_t from;
			std::memcpy(&from, value + c * sizeof from, sizeof from);
			*to++ = static_cast<float>(from) * step + transform.min_value(static_cast<int>(c));
		}
	}
	return true;
}

// An octahedron unfolded to a square; its middle is +X.
void unfold(float y, float z, float *to)
{
	const float x = 1.0f - std::fabs(y) - std::fabs(z);
	const float over = x < 0.0f ? -x : 0.0f;
	y += y < 0.0f ? over : -over;
	z += z < 0.0f ? over : -over;
	const float square = x * x + y * y + z * z;
	const float scale = square < 1e-6f ? 0.0f : 1.0f / std::sqrt(square);
	to[0] = x * scale;
	to[1] = y * scale;
	to[2] = z * scale;
}

bool unfold_all(const draco::PointAttribute &attribute, uint32_t points, float *to)
{
	draco::AttributeOctahedronTransform transform;
	if (!transform.InitFromAttribute(attribute) || transform.quantization_bits() < 2 ||
		transform.quantization_bits() > 30)
	{
		return false;
	}
	const float step = 2.0f / static_cast<float>((1u << transform.quantization_bits()) - 2);
	for (uint32_t p = 0; p < points; p++, to += 3)
	{
		const uint8_t *value = value_of(attribute, p, 2 * sizeof(int32_t));
		int32_t from[2];
		if (value == nullptr)
		{
			return false;
		}
		std::memcpy(from, value, sizeof from);
		unfold(static_cast<float>(from[0]) * step - 1.0f, static_cast<float>(from[1]) * step - 1.0f, to);
	}
	return true;
}

template <typename To>
bool copy_any(const draco::PointAttribute &attribute, uint32_t points, uint32_t components, void *values)
{
	To *to = static_cast<To *>(values);
	switch (attribute.data_type())
	{
	case draco::DT_INT8: return copy<int8_t>(attribute, points, components, to);
	case draco::DT_UINT8: return copy<uint8_t>(attribute, points, components, to);
	case draco::DT_INT16: return copy<int16_t>(attribute, points, components, to);
	case draco::DT_UINT16: return copy<uint16_t>(attribute, points, components, to);
	case draco::DT_INT32: return copy<int32_t>(attribute, points, components, to);
	case draco::DT_UINT32: return copy<uint32_t>(attribute, points, components, to);
	case draco::DT_FLOAT32: return copy<float>(attribute, points, components, to);
	default: return false;
	}
}

} // namespace

extern "C" lrd_draco *lrd_draco_open(
	const void *data, size_t size, const lrd_draco_limits *limits, lrd_draco_result *result)
{
	*result = lrd_draco_result{};
	try
	{
		std::unique_ptr<lrd_draco> draco(new lrd_draco);
		guard watch = { limits, result };
		if (decode(static_cast<const char *>(data), size, &watch, draco.get()) && check_faces(draco->mesh, result))
		{
			return draco.release();
		}
	}
	catch (const std::bad_alloc &)
	{
		*result = lrd_draco_result{};
		(void)fail(result, LRD_DRACO_MEMORY, "out of memory");
	}
	catch (const std::exception &problem)
	{
		(void)fail(result, LRD_DRACO_DAMAGED, problem.what());
	}
	catch (...)
	{
		(void)fail(result, LRD_DRACO_DAMAGED, "an unknown exception");
	}
	return nullptr;
}

extern "C" void lrd_draco_close(lrd_draco *draco)
{
	delete draco;
}

extern "C" uint32_t lrd_draco_faces(const lrd_draco *draco)
{
	return draco->mesh.num_faces();
}

extern "C" size_t lrd_draco_cost(const lrd_draco *draco)
{
	return static_cast<size_t>(draco->cost);
}

extern "C" void lrd_draco_read_indices(const lrd_draco *draco, uint32_t *indices)
{
	for (uint32_t f = 0; f < draco->mesh.num_faces(); f++)
	{
		for (const draco::PointIndex &corner : draco->mesh.face(draco::FaceIndex(f)))
		{
			*indices++ = corner.value();
		}
	}
}

extern "C" bool lrd_draco_read_attribute(
	const lrd_draco *draco, uint32_t id, uint32_t components, lrd_draco_component component, void *values)
{
	const draco::PointAttribute *attribute = draco->mesh.GetAttributeByUniqueId(id);
	if (attribute == nullptr || attribute->buffer() == nullptr)
	{
		return false;
	}
	const uint32_t points = draco->mesh.num_points();
	const draco::AttributeTransformData *transform = attribute->GetAttributeTransformData();
	if (transform != nullptr && transform->transform_type() == draco::ATTRIBUTE_OCTAHEDRON_TRANSFORM)
	{
		return attribute->num_components() == 2 && components == 3 && component == LRD_DRACO_F32 &&
			   unfold_all(*attribute, points, static_cast<float *>(values));
	}
	if (attribute->num_components() != components)
	{
		return false;
	}
	if (transform != nullptr && transform->transform_type() == draco::ATTRIBUTE_QUANTIZATION_TRANSFORM)
	{
		return component == LRD_DRACO_F32 && dequantize(*attribute, points, components, static_cast<float *>(values));
	}
	switch (component)
	{
	case LRD_DRACO_I8: return copy_any<int8_t>(*attribute, points, components, values);
	case LRD_DRACO_U8: return copy_any<uint8_t>(*attribute, points, components, values);
	case LRD_DRACO_I16: return copy_any<int16_t>(*attribute, points, components, values);
	case LRD_DRACO_U16: return copy_any<uint16_t>(*attribute, points, components, values);
	case LRD_DRACO_U32: return copy_any<uint32_t>(*attribute, points, components, values);
	case LRD_DRACO_F32: return copy_any<float>(*attribute, points, components, values);
	}
	return false;
}
