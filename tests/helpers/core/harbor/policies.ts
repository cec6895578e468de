import {
  badRequest,
  conflict,
  isSought,
  jsonOf,
  missing,
  pageOf,
  type Question,
  type Reply,
} from './exchange.js'

const EVENT_TYPES = ['PUSH_ARTIFACT', 'PULL_ARTIFACT', 'DELETE_ARTIFACT']
const TARGET_TYPES = ['http', 'slack']

/** The webhooks of a project. */
export function answerPolicies(
  question: Question,
  project: { id: number; name: string; policies: Map<number, any> },
  nextId: () => number
): Reply {
  const { method, path } = question
  const { policies, name } = project
  const id = path[4] === undefined ? undefined : Number(path[4])
  if (id === undefined) {
    return method === 'GET' ? list(question, project) : create(question, project, nextId)
  }
  const policy = policies.get(id)
  if (!policy) {
    throw missing(`notificationPolicy ${id} of ${name}`)
  }
  if (method === 'GET') {
    return { status: 200, body: shown(id, policy, project) }
  }
  if (method === 'DELETE') {
    policies.delete(id)
  } else {
    policies.set(id, valid(jsonOf(question)))
  }
  return { status: 200 }
}

function list(question: Question, project: { id: number; policies: Map<number, any> }): Reply {
  const found = [...project.policies].filter(([, { name }]) => isSought(question, name))
  return pageOf(
    question,
    found.reverse().map(([id, policy]) => shown(id, policy, project))
  )
}

function create(
  question: Question,
  { name: project, policies }: { name: string; policies: Map<number, any> },
  nextId: () => number
): Reply {
  const policy = valid(jsonOf(question))
  const id = nextId()
  if ([...policies.values()].some(({ name }) => name === policy.name)) {
    throw conflict(`notification policy named ${policy.name} already exists`)
  }
  policies.set(id, policy)
  return { status: 201, location: `/api/v2.0/projects/${project}/webhook/policies/${id}` }
}

function valid(policy: any): any {
  if (!policy.event_types?.length) {
    throw badRequest('empty event type')
  }
  if (!policy.event_types.every((type: string) => EVENT_TYPES.includes(type))) {
    throw badRequest('unsupported event type')
  }
  if (!policy.targets?.length) {
    throw badRequest('empty notification target')
  }
  for (const { type, address } of policy.targets) {
    if (!TARGET_TYPES.includes(type)) {
      throw badRequest(`unsupported target type ${type}`)
    }
    if (!URL.canParse(/^https?:/.test(address) ? address : `http://${address}`)) {
      throw badRequest(`parse "${address}"`)
    }
  }
  return policy
}

const shown = (
  id: number,
  { name, enabled, event_types, targets }: any,
  project: { id: number }
) => ({
  id,
  name,
  enabled,
  event_types,
  project_id: project.id,
  targets: targets.map((target: object) => ({ ...target, payload_format: 'Default' })),
})
