import { analysisNodeEvent } from '#core/analysis_node_events/analysis_node_event'
import { masterImageGroup } from '#core/master_image_groups/master_image_group'
import type { Kind } from '#records/kind'

/** The kinds that need no service of their own. */
export const PLAIN_KINDS: readonly Kind[] = [masterImageGroup, analysisNodeEvent]
