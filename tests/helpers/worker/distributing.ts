import { imageStores } from '#worker/images/stores'
import { distributeAnalysis } from '#worker/distribution/distribute_analysis'
import { DistributionScene } from './distribution_scene.js'

/** Runs a distribution in a process that can be killed. */
const said = JSON.parse(process.env.SCENE!)
const scene = await DistributionScene.like(said, imageStores({ folder: said.folder, insecure: [] }))
process.stdout.write('begun')
await scene.run(distributeAnalysis)
process.exit(0)
