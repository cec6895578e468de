import { imageStores } from '#worker/images/stores'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { DistributionScene } from './distribution_scene.js'

/** Brings an image to nodes as a test describes them, until it is done or killed. */
const said = JSON.parse(process.env.SCENE!)
const scene = await DistributionScene.like(said, imageStores({ folder: said.folder, insecure: [] }))
process.stdout.write('begun')
await scene.run(distributeAnalysis)
process.exit(0)
