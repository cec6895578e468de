interface Words {
  /** What is so where the condition holds. */
  readonly says: string
  /** The command that brings it about. */
  readonly remedy?: (subject: Subject) => string
}

/** How the analysis and its project are named in commands. */
export interface Subject {
  readonly analysis: string
  readonly project: string
}

/** What is in the way of analyses, in words. A platform that is newer may know of more. */
const CONDITIONS: Readonly<Record<string, Words>> = {
  build_initialized: {
    says: 'no build was begun',
    remedy: ({ analysis }) => `hubctl analysis unlock ${analysis}`,
  },
  default_node_required: {
    says: 'a node with data is assigned',
    remedy: ({ analysis }) => `hubctl create analysis-node analysisId=${analysis} nodeId=<node>`,
  },
  aggregator_node_required: {
    says: 'a node of the type aggregator is assigned',
    remedy: ({ analysis }) => `hubctl create analysis-node analysisId=${analysis} nodeId=<node>`,
  },
  entrypoint_required: {
    says: 'a file of the code is what it starts with',
    remedy: ({ analysis }) => `hubctl analysis entrypoint ${analysis} <path>`,
  },
  image_required: {
    says: 'an image is chosen',
    remedy: ({ analysis }) => `hubctl update analysis ${analysis} masterImageId=<image>`,
  },
  project_approval_required: {
    says: 'its nodes take part in the project',
    remedy: ({ project }) => `hubctl project approve ${project}`,
  },
  nodes_approval_required: {
    says: 'its nodes have approved its content',
    remedy: ({ analysis }) => `hubctl analysis approve ${analysis}`,
  },
  build_not_startable: { says: 'no build is at work' },
  build_not_finished: {
    says: 'it is built',
    remedy: ({ analysis }) => `hubctl analysis build ${analysis}`,
  },
  image_signature_invalid: {
    says: 'the image carries a signature of this hub',
    remedy: ({ analysis }) => `hubctl image verify ${analysis}`,
  },
  registry_unconfigured: {
    says: 'there is a registry',
    remedy: () => 'hubctl create registry name=… host=… accountName=… accountSecret=@-',
  },
  node_registry_unassigned: {
    says: 'each of its nodes has a registry',
    remedy: () => 'hubctl update node <node> registryId=<registry>',
  },
  distribution_not_startable: { says: 'no distribution is at work' },
  execution_not_finished: { says: 'its nodes have executed it' },
  worker_missing: { says: 'a worker takes it on' },
}

export function wordsFor(code: string): Words {
  return CONDITIONS[code] ?? { says: code }
}

/** What is done where nothing is in the way. */
const NEXT: Readonly<Record<string, string>> = {
  configuration: 'lock',
  build: 'build',
  distribution: 'distribute',
}

export function nextStep(phase: string, analysis: string): string {
  const step = NEXT[phase]
  return step === undefined
    ? 'Nothing is in the way.'
    : `Nothing is in the way of what comes next: hubctl analysis ${step} ${analysis}`
}
