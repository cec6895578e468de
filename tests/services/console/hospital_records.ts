import { connect } from 'amqplib'

import { eventually } from '#tests/helpers/eventually'
import { OPERATOR, PlatformClient, type Person } from './platform_client.js'

const PASSWORD = 'correct horse battery'

export const ANALYST: Person = { realm: 'institute', username: 'ada', password: PASSWORD }
export const ADMINISTRATOR: Person = { realm: 'hospital', username: 'grace', password: PASSWORD }

/** Any queue with a consumer: a message that nobody can read becomes a dead letter there. */
const QUEUE = 'core.analysisBuilderEvents'

const LONG_TITLE =
  'Rehospitalisation within thirty days after intensive care, by age, comorbidity and length of stay'

export interface HospitalRecords {
  readonly nodeId: string
  /** Analyses by what is to be seen of them. */
  readonly waiting: string
  readonly stuck: string
  readonly executed: string
}

interface Installation {
  readonly origin: string
  readonly operator: PlatformClient
}

/**
 * A hospital, an institute that works with it, and what either of them waits for: decisions, an analysis that is stuck, one
 * that failed, results, a node that is away and a dead letter.
 */
export async function makeHospitalRecords(
  origin: string,
  brokerUrl: string
): Promise<HospitalRecords> {
  const operator = await PlatformClient.signIn(origin, OPERATOR)
  const installation = { origin, operator }
  const hospital = await makePerson(installation, ADMINISTRATOR, 'admin')
  await makePerson(installation, ANALYST, 'researcher')
  const node = await makeNode(installation, 'hospital-east', hospital)
  const other = await makeNode(installation, 'clinic-west', hospital)
  await callOnce(installation, node.id)
  await publishUnreadable(brokerUrl)

  const analyst = await PlatformClient.signIn(origin, ANALYST)
  const steward = await PlatformClient.signIn(origin, ADMINISTRATOR)
  const project = await analyst.create('/core/projects', {
    name: 'icu-outcomes',
    displayName: 'Outcomes of intensive care',
    description: 'Which patients return, and why? <script>alert(1)</script>',
  })
  await takePart(analyst, project.id, [node.id, other.id])
  await decideAll(steward, project.id)
  await analyst
    .create('/core/projects', { name: 'sepsis-register' })
    .then(({ id }) => takePart(analyst, id, [node.id, other.id]))

  const scene = { ...installation, analyst, steward, projectId: project.id, nodeId: node.id }
  const analyses = await makeAnalyses(scene)
  return { nodeId: node.id, ...analyses }
}

interface Scene extends Installation {
  readonly analyst: PlatformClient
  readonly steward: PlatformClient
  readonly projectId: string
  readonly nodeId: string
}

/** One that waits for approvals, one that a node rejected, one with results and one that failed. */
async function makeAnalyses(scene: Scene) {
  const { analyst, steward, projectId, nodeId } = scene
  const makeAnalysis = async (name: string, displayName: string) => {
    const { id } = await analyst.create('/core/analyses', {
      name,
      displayName,
      projectId,
    })
    await upload(scene, id, 'CODE', 'main.py', 'print("How many patients returned?")\n')
    return id as string
  }
  const waiting = await makeAnalysis('readmission', LONG_TITLE)
  const stuck = await makeAnalysis('ventilation', 'Days of ventilation')
  const executed = await makeAnalysis('survival', 'Survival after sepsis')
  const failed = await makeAnalysis('dosage', 'Dosage of <b>antibiotics</b>')
  await decideParts(steward, stuck, nodeId, {
    approvalStatus: 'rejected',
    comment: 'No ethics vote yet',
  })
  await decideParts(steward, executed, undefined, { approvalStatus: 'approved' })
  await decideParts(steward, executed, undefined, { executionStatus: 'executed' })
  await decideParts(steward, failed, undefined, { approvalStatus: 'approved' })
  await decideParts(steward, failed, undefined, { executionStatus: 'failed' })
  await upload(scene, executed, 'RESULT', 'survival.csv', 'days,alive\n30,0.93\n90,0.88\n')
  return { waiting, stuck, executed }
}

/** A realm with a user in it who has a role there. */
async function makePerson(
  { operator }: Installation,
  { realm, username, password }: Person,
  role: string
): Promise<string> {
  const { id: realmId } = await operator.create('/auth/realms', { name: realm })
  const { id: userId } = await operator.create('/auth/users', { name: username, password, realmId })
  const { data: roles } = await operator.read(`/auth/roles?filter[name]=${role}`)
  await operator.create('/auth/user-roles', { userId, roleId: roles[0].id })
  return realmId
}

const makeNode = (
  { operator }: Installation,
  name: string,
  realmId: string
): Promise<{ id: string }> => operator.create('/core/nodes', { name, realmId })

/** From now on the node was there once, and is away as soon as it has been silent for long enough. */
async function callOnce({ origin, operator }: Installation, nodeId: string): Promise<void> {
  const credentials = await operator.post(`/core/nodes/${nodeId}/client/credentials`, {})
  const program = await PlatformClient.ofProgram(origin, credentials)
  await program.read('/messenger/messages')
}

async function publishUnreadable(url: string): Promise<void> {
  const connection = await connect(url)
  const channel = await connection.createConfirmChannel()
  channel.sendToQueue(QUEUE, Buffer.from('not a message'))
  await channel.waitForConfirms()
  await connection.close()
}

async function takePart(
  client: PlatformClient,
  projectId: string,
  nodeIds: readonly string[]
): Promise<void> {
  for (const nodeId of nodeIds) {
    await client.create('/core/project-nodes', { projectId, nodeId })
  }
}

async function decideAll(client: PlatformClient, projectId: string): Promise<void> {
  const { data } = await client.read(`/core/project-nodes?filter[projectId]=${projectId}`)
  for (const { id } of data) {
    await client.post(`/core/project-nodes/${id}`, { approvalStatus: 'approved' })
  }
}

/** Changes how one node, or every node, takes part in an analysis. */
async function decideParts(
  client: PlatformClient,
  analysisId: string,
  nodeId: string | undefined,
  change: object
): Promise<void> {
  const { data } = await client.read(`/core/analysis-nodes?filter[analysisId]=${analysisId}`)
  for (const part of data) {
    if (nodeId === undefined || part.nodeId === nodeId) {
      await client.post(`/core/analysis-nodes/${part.id}`, change)
    }
  }
}

/** Resolves when core knows the file, which storage tells it. */
async function upload(
  { operator }: Installation,
  analysisId: string,
  type: 'CODE' | 'RESULT',
  name: string,
  content: string
): Promise<void> {
  const bucket = await eventually(async () => {
    const { data } = await operator.read(`/core/analysis-buckets?filter[analysisId]=${analysisId}`)
    return data.find((one: any) => one.type === type && one.bucketId)
  })
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  await operator.post(`/storage/buckets/${bucket.bucketId}/upload`, form)
  await eventually(async () => {
    const { meta } = await operator.read(
      `/core/analysis-bucket-files?filter[analysisBucketId]=${bucket.id}`
    )
    return meta.total > 0
  })
}
