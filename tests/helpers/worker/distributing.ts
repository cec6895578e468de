import { imageStores } from '#worker/images/stores'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { DistributionScene } from './distribution_scene.js'

/** Runs a distribution in a process that can be killed. */
const content = JSON.parse(process.env.SCENE!)
const scene = await DistributionScene.like(
  content,
  imageStores({ folder: content.folder, insecure: [] })
)
process.stdout.write('begun')
await scene.run(distributeAnalysis)
process.exit(0)
