import { NodeProcess } from '#node/node_process'
import { Policy } from '#node/policy/policy'
import { StandInContainers } from './stand_in_containers.js'

/** What a test sends: the settings of the node, without its policy. */
export interface NodeProgramOptions {
  readonly url: string
  readonly clientId: string
  readonly signingKey: string
  readonly imagesPath: string
  readonly folder: string
}

const { url, clientId, ...rest }: NodeProgramOptions = JSON.parse(process.argv[2]!)
const containers = new StandInContainers()
containers.onStart = (analysis) => {
  analysis.onMessage = (message) => void process.send!(message)
}
const node = await NodeProcess.start({
  settings: {
    ...rest,
    hub: { url },
    credentials: { id: clientId, secret: 'secret' },
    credentialsFile: 'credentials.json',
    approver: undefined,
    policy: new Policy(),
    isolation: undefined,
    hangSeconds: 30,
  },
  containers,
  onLine: () => {},
})
process.on('disconnect', () => void node.stop().then(() => process.exit()))
