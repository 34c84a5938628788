// Runs in the browser: draws a glTF file with three.js, as threerender.mjs asks. Light is kept in half floats on three by three
// samples a pixel; each is tone mapped (Khronos, "PBR Neutral Tone Mapper") before they are averaged, as larder's viewer does it.
// Unlit materials and a plain background are to be seen as they are, so they are drawn as the light that tone mapping makes
// their colour of.

import * as THREE from 'three';
import { DRACOLoader } from 'three/addons/loaders/DRACOLoader.js';
import { EXRLoader } from 'three/addons/loaders/EXRLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { FullScreenQuad } from 'three/addons/postprocessing/Pass.js';

const SAMPLES = 3; // a side of a pixel's
const FIELD_OF_VIEW = 45; // degrees, upright: the viewer's

const NEUTRAL = `
const float start = 0.8 - 0.04, desaturation = 0.15, room = 1.0 - start;
vec3 neutral(vec3 c)
{
	float least = min(c.r, min(c.g, c.b));
	c -= least < 0.08 ? least - 6.25 * least * least : 0.04;
	float peak = max(c.r, max(c.g, c.b));
	if (peak < start) { return c; }
	float squeezed = 1.0 - room * room / (peak + room - start);
	c *= squeezed / peak;
	return mix(c, vec3(squeezed), 1.0 - 1.0 / (desaturation * (peak - squeezed) + 1.0));
}
vec3 before_neutral(vec3 shown)
{
	vec3 c = min(shown, 0.999);
	float squeezed = max(c.r, max(c.g, c.b));
	if (squeezed >= start)
	{
		float peak = room * room / (1.0 - squeezed) - room + start;
		float grey = 1.0 - 1.0 / (desaturation * (peak - squeezed) + 1.0);
		c = (c - squeezed * grey) / (1.0 - grey) * (peak / squeezed);
	}
	float least = min(c.r, min(c.g, c.b));
	return c + (least < 0.04 ? 0.4 * sqrt(max(least, 0.0)) - least : 0.04);
}`;

const renderer = new THREE.WebGLRenderer({ antialias: false, preserveDrawingBuffer: true });
renderer.toneMapping = THREE.NoToneMapping;
renderer.setPixelRatio(1);

const loader = new GLTFLoader();
loader.setDRACOLoader(new DRACOLoader().setDecoderPath('/three/examples/jsm/libs/draco/'));
loader.setKTX2Loader(new KTX2Loader().setTranscoderPath('/three/examples/jsm/libs/basis/').detectSupport(renderer));
loader.setMeshoptDecoder(MeshoptDecoder);

const resolve = new FullScreenQuad(new THREE.ShaderMaterial({
	uniforms: { light: { value: null } },
	vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
	fragmentShader: `uniform sampler2D light;
${NEUTRAL}
void main()
{
	vec3 sum = vec3(0.0);
	for (int i = 0; i < ${SAMPLES * SAMPLES}; ++i)
	{
		ivec2 at = ivec2(gl_FragCoord.xy) * ${SAMPLES} + ivec2(i % ${SAMPLES}, i / ${SAMPLES});
		sum += clamp(neutral(texelFetch(light, at, 0).rgb), 0.0, 1.0);
	}
	vec3 c = sum / ${(SAMPLES * SAMPLES).toFixed(1)};
	gl_FragColor = vec4(mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308))), 1.0);
}`,
	depthTest: false,
	depthWrite: false,
}));

/// A plain background is a triangle far behind everything, so that it is light like all else.
function makeBackground(color)
{
	const shape = new THREE.BufferGeometry();
	shape.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 1, 3, -1, 1, -1, 3, 1]), 3));
	const mesh = new THREE.Mesh(shape, new THREE.ShaderMaterial({
		uniforms: { color: { value: new THREE.Vector3(...color) } },
		vertexShader: 'void main() { gl_Position = vec4(position.xy, 1.0, 1.0); }',
		fragmentShader: `uniform vec3 color;
${NEUTRAL}
void main()
{
	vec3 c = mix(color / 12.92, pow((color + 0.055) / 1.055, vec3(2.4)), greaterThan(color, vec3(0.04045)));
	gl_FragColor = vec4(before_neutral(c), 1.0);
}`,
		depthWrite: false,
	}));
	mesh.frustumCulled = false;
	mesh.renderOrder = -1;
	return mesh;
}

function showUnlitAsItIs(material)
{
	if (material.isMeshBasicMaterial)
	{
		material.onBeforeCompile = (shader) =>
		{
			shader.fragmentShader = NEUTRAL + shader.fragmentShader.replace('#include <tonemapping_fragment>',
				'gl_FragColor.rgb = before_neutral(clamp(gl_FragColor.rgb, 0.0, 1.0));');
		};
	}
}

const skies = new Map();

/// A panorama, filtered for each roughness. Its middle is -Z for the viewer and +X for three, so the world is turned under it.
async function loadSky(url)
{
	if (!skies.has(url))
	{
		const panorama = await new EXRLoader().setDataType(THREE.FloatType).loadAsync(url);
		panorama.mapping = THREE.EquirectangularReflectionMapping;
		panorama.minFilter = panorama.magFilter = THREE.LinearFilter;
		const generator = new THREE.PMREMGenerator(renderer);
		skies.set(url, { panorama, filtered: generator.fromEquirectangular(panorama).texture });
	}
	return skies.get(url);
}

/// Everything that is drawn, as it is posed.
function boundsOf(root)
{
	root.updateMatrixWorld(true);
	const box = new THREE.Box3();
	root.traverse((object) =>
	{
		if (object.isMesh || object.isLine || object.isPoints)
		{
			object.isSkinnedMesh && object.skeleton.update();
			const own = new THREE.Box3();
			if (object.isInstancedMesh)
			{
				object.computeBoundingBox();
				own.copy(object.boundingBox).applyMatrix4(object.matrixWorld);
			}
			else
			{
				const p = new THREE.Vector3();
				for (let i = 0; i < object.geometry.attributes.position.count; i++)
				{
					object.getVertexPosition(i, p);
					own.expandByPoint(p.applyMatrix4(object.matrixWorld));
				}
			}
			box.union(own);
		}
	});
	return box;
}

/// { yaw, pitch, distance, target } in degrees; without distance or target, everything is seen.
function placeCamera(request, root)
{
	const { yaw, pitch } = request.camera;
	let { distance, target } = request.camera;
	if (distance === undefined || target === undefined)
	{
		const box = boundsOf(root);
		const sphere = box.getBoundingSphere(new THREE.Sphere());
		const half = Math.min(FIELD_OF_VIEW / 2, THREE.MathUtils.radToDeg(Math.atan(Math.tan(FIELD_OF_VIEW / 2 * Math.PI / 180) * request.width / request.height)));
		target ??= sphere.center.toArray();
		distance ??= Math.max(sphere.radius, 1e-6) / Math.sin(half * Math.PI / 180);
	}
	const camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, request.width / request.height, distance * 0.01, distance * 100);
	const [y, p] = [yaw * Math.PI / 180, pitch * Math.PI / 180];
	camera.position.set(Math.sin(y) * Math.cos(p), Math.sin(p), Math.cos(y) * Math.cos(p)).multiplyScalar(distance).add(new THREE.Vector3(...target));
	camera.lookAt(...target);
	return { camera, used: { yaw, pitch, distance, target } };
}

function pose(gltf, { clip, time })
{
	if (clip !== undefined && gltf.animations.length !== 0)
	{
		const mixer = new THREE.AnimationMixer(gltf.scene);
		const animation = gltf.animations.find(({ name }) => name === clip) ?? gltf.animations[Number(clip)]; // a name or a number
		const action = mixer.clipAction(animation);
		action.setLoop(THREE.LoopOnce);
		action.clampWhenFinished = true;
		action.play();
		mixer.setTime(time ?? 0);
	}
}

/// Of a file without scenes: the nodes that are nobody's children.
async function gatherRoots(parser)
{
	const { nodes = [] } = parser.json;
	const children = new Set(nodes.flatMap((node) => node.children ?? []));
	const group = new THREE.Group();
	for (const index of nodes.keys())
	{
		children.has(index) || group.add(await parser.getDependency('node', index));
	}
	return group;
}

function release(root)
{
	root.traverse((object) =>
	{
		object.geometry?.dispose();
		[object.material ?? []].flat().forEach((material) =>
		{
			Object.values(material).forEach((value) => value?.isTexture && value.dispose());
			material.dispose();
		});
	});
}

/// request: { url, width, height, camera, sky, background: [r, g, b] or null for the sky, clip, time }. What it gives: the picture as
/// the URL of a PNG, and the camera that was used.
window.render = async (request) =>
{
	const { width, height } = request;
	const gltf = await loader.loadAsync(request.url);
	gltf.scene ??= gltf.scenes[0] ?? (await gatherRoots(gltf.parser));
	const scene = new THREE.Scene();
	scene.add(gltf.scene);
	gltf.scene.traverse((object) =>
	{
		object.frustumCulled = false;
		[object.material ?? []].flat().forEach(showUnlitAsItIs);
	});
	pose(gltf, request);
	if (request.sky !== undefined)
	{
		const { panorama, filtered } = await loadSky(request.sky);
		scene.environment = filtered;
		scene.environmentRotation.y = scene.backgroundRotation.y = Math.PI / 2;
		scene.background = request.background ? null : panorama;
	}
	if (request.background)
	{
		scene.add(makeBackground(request.background));
	}
	const { camera, used } = placeCamera(request, gltf.scene);
	renderer.setSize(width, height, false);
	const target = new THREE.WebGLRenderTarget(width * SAMPLES, height * SAMPLES, {
		type: THREE.HalfFloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, colorSpace: THREE.LinearSRGBColorSpace,
	});
	renderer.setRenderTarget(target);
	renderer.render(scene, camera);
	renderer.setRenderTarget(null);
	resolve.material.uniforms.light.value = target.texture;
	resolve.render(renderer);
	const png = renderer.domElement.toDataURL('image/png');
	target.dispose();
	release(scene);
	return { png, camera: used };
};
window.isReady = () => true;
