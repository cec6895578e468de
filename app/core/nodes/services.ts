import { node } from '#core/nodes/node'
import { NodeService } from '#core/nodes/node_service'
import { lazyService } from '#records/services'

export const nodes = lazyService('core', node, NodeService)
