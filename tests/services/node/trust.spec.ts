import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { blobPath } from '#oci/layout_paths'
import { attachmentTag, SIGNATURE } from '#oci/signing/attachment_kinds'
import { SIGNATURE_ANNOTATION } from '#oci/signing/simple_signing'
import { eventually } from '#tests/helpers/eventually'
import { stopwatch } from '#tests/helpers/stopwatch'
import { descendants, isAlive, procFile } from '#tests/services/servers/process_table'
import { TestSandbox } from './test_sandbox.js'

const PATIENT = fileURLToPath(new URL('../../fixtures/analyses/patient/main.py', import.meta.url))
const NODES = ['north', 'south', 'center']
const WITHIN_MS = 300_000
/** Who decides for the hospitals. Aggregators do not decide. */
const APPROVERS = ['sandbox-north', 'sandbox-south']

interface Participation {
  readonly id: string
  readonly approvalStatus: string | null
  readonly executionStatus: string | null
  readonly artifactDigest: string | null
  readonly node: { readonly id: string; readonly name: string }
}

interface Analysis {
  readonly id: string
  readonly name: string
}

test.group('Trust between a hub, its nodes and their analyses', (group) => {
  let sandbox: TestSandbox
  const commands: ChildProcess[] = []

  group.setup(async () => {
    sandbox = await TestSandbox.create(['--isolation', 'bubblewrap'])
    await sandbox.up()
    return async () => {
      for (const command of commands) {
        command.kill('SIGTERM')
        await endOf(command)
      }
      await sandbox.remove()
    }
  })
  group.each.timeout(900_000)

  /** Starts an analysis that waits until it is ended; its code has a line of its own, and so its image a layer. */
  async function begin(name: string, project = 'sandbox', nodes: readonly string[] = NODES) {
    const { machine } = sandbox
    const folder = machine.path(`code-${name}`)
    await writePatient(folder, name)
    const at = nodes.flatMap((node) => ['--node', node])
    const run = machine.start([
      ...['--context', 'sandbox', 'analysis', 'run', folder, '--project', project],
      ...['--name', name, '--to', machine.path(`result-${name}`), ...at],
    ])
    const output = { text: '' }
    for (const stream of [run.stdout, run.stderr]) {
      stream.on('data', (text: Buffer) => (output.text += text.toString()))
    }
    commands.push(run)
    const analysis = await eventually(async () => {
      const { data } = await sandbox.read<{ data: Analysis[] }>(
        'sandbox',
        `/analyses?filter[name]=${name}`
      )
      return data[0]
    }, WITHIN_MS)
    return { ...analysis, run, output }
  }

  async function participations({ id }: Analysis): Promise<Participation[]> {
    const path = `/analysis-nodes?filter[analysisId]=${id}&include=node`
    const { data } = await sandbox.read<{ data: Participation[] }>('sandbox', path)
    return data
  }

  const at = async (analysis: Analysis, name: string) => {
    const all = await participations(analysis)
    return all.find(({ node }) => node.name === name)!
  }

  const isExecuting = (analysis: Analysis, count: number) =>
    eventually(async () => {
      const all = await participations(analysis)
      const running = all.filter(({ executionStatus }) => executionStatus === 'executing')
      return running.length === count
    }, WITHIN_MS)

  /** The processes of an analysis at a node, within its container. */
  async function containerOf({ id }: Analysis, node: string): Promise<number[]> {
    const below = descendants(await sandbox.nodeProcess(node))
    return below.filter((pid) => procFile(pid, 'environ').includes(`ANALYSIS_ID=${id}`))
  }

  test('an image, a signature or a label with one changed byte is not started, and the analyst reads why', async ({
    assert,
    cleanup,
  }) => {
    const { machine, folder } = sandbox
    const nodes = await Promise.all(NODES.map((name) => sandbox.nodeProcesses(name)))
    // The nodes see the images when they have been changed, and not before; nobody takes them for hung.
    const signalNodes = (name: NodeJS.Signals) =>
      nodes
        .flatMap(({ supervisor, node }) => [supervisor, node])
        .forEach((pid) => process.kill(pid, name))
    signalNodes('SIGSTOP')
    cleanup(() => signalNodes('SIGCONT'))
    const [layer, signature, label] = await Promise.all([
      begin('changed-layer'),
      begin('changed-signature'),
      begin('changed-label'),
    ])
    const analyses = [layer, signature, label]
    for (const { name } of analyses) {
      await approve(name)
    }
    await eventually(async () => {
      const all = await Promise.all(analyses.map(participations))
      return all.flat().every(({ artifactDigest }) => artifactDigest !== null)
    }, WITHIN_MS)
    const images = join(folder, 'hub/images')
    await changeLayer(images, (await at(layer, 'north')).artifactDigest!)
    await changeLabel(images, (await at(label, 'north')).artifactDigest!)
    await changeSignature(images, (await at(signature, 'north')).artifactDigest!)
    signalNodes('SIGCONT')

    const reasons = [/digest|damaged|bytes/i, /signature/i, /digest|bytes/i]
    for (const [index, analysis] of analyses.entries()) {
      assert.notEqual(await endOf(analysis.run), 0)
      assert.match(analysis.output.text, reasons[index]!)
      const logs = await machine.must('--context', 'sandbox', 'analysis', 'logs', analysis.name)
      assert.match(logs, reasons[index]!)
      assert.notInclude(logs, 'Starts the container')
      const timeline = await machine.must(
        ...['--context', 'sandbox', 'analysis', 'timeline', analysis.name]
      )
      assert.match(timeline, /executionStatus.*failed|failed/)
      const states = await participations(analysis)
      assert.isTrue(states.every(({ executionStatus }) => executionStatus === 'failed'))
    }
  })

  test('a running analysis is ended when its approval is withdrawn', async ({ assert }) => {
    const { machine } = sandbox
    const analysis = await begin('withdrawn')
    await isExecuting(analysis, NODES.length)
    const container = await containerOf(analysis, 'north')
    assert.isNotEmpty(container)
    const { id } = await at(analysis, 'north')
    await machine.must(
      ...['--context', 'sandbox-north', 'api', 'core', `/analysis-nodes/${id}`],
      'approvalStatus=rejected'
    )
    const took = stopwatch()
    await eventually(() => !container.some(isAlive), WITHIN_MS)
    // Five seconds on a quiet machine.
    const milliseconds = took()
    assert.isBelow(milliseconds, 50_000)
    await eventually(async () => {
      const { executionStatus } = await at(analysis, 'north')
      return executionStatus === 'stopped'
    }, WITHIN_MS)
    const logs = await machine.must('--context', 'sandbox', 'analysis', 'logs', analysis.name)
    assert.include(logs, 'The approval was withdrawn')
    await endOf(analysis.run)
  })

  test('three analyses of two projects at once keep apart', async ({ assert }) => {
    await addProject('other')
    const analyses = await Promise.all([
      begin('apart-1', 'sandbox', ['north', 'center']),
      begin('apart-2', 'sandbox', ['south', 'center']),
      begin('apart-3', 'other', NODES),
    ])
    for (const [index, analysis] of analyses.entries()) {
      await isExecuting(analysis, [2, 2, 3][index]!)
    }
    const gateways = (await Promise.all(NODES.map((name) => gatewaysOf(name)))).flat()
    assert.lengthOf(gateways, 7)

    for (const { socket, token, analysisId, projectId } of gateways) {
      for (const other of gateways) {
        const path = `/message-broker/analyses/${analysisId}/participants/self`
        const { status } = await call(socket, path, other.token)
        assert.equal(status, other === gateways.find((one) => one.socket === socket) ? 200 : 401)
      }
      const analysis = analyses.find(({ id }) => id === analysisId)!
      const partners = await call(
        socket,
        `/message-broker/analyses/${analysisId}/participants`,
        token
      )
      const expected = (await participations(analysis)).map(({ node }) => node.id)
      const shown = partners.body as { nodeId: string }[]
      assert.sameMembers(
        shown.map(({ nodeId }) => nodeId),
        expected
      )
      const stranger = gateways.find((one) => one.projectId !== projectId)!
      for (const path of [
        `/hub-adapter/kong/datastore/${stranger.projectId}`,
        `/message-broker/analyses/${stranger.analysisId}/participants`,
      ]) {
        assert.equal((await call(socket, path, token)).status, 404)
      }
      await putLocal(socket, token, projectId)
    }
    // Files that stay at a node are those of the project.
    for (const { socket, token, projectId } of gateways) {
      const { body } = await call(socket, '/storage/local/tags', token)
      const { results } = body as { results: { name: string }[] }
      assert.deepEqual(
        results.map(({ name }) => name),
        [`of-${projectId}`]
      )
    }
  })

  async function approve(name: string): Promise<void> {
    for (const context of APPROVERS) {
      await eventually(async () => {
        await sandbox.machine.call(['--context', context, 'analysis', 'approve', name])
        const analysis = await sandbox.read<{ data: Analysis[] }>(
          'sandbox',
          `/analyses?filter[name]=${name}`
        )
        const decided = await participations(analysis.data[0]!)
        const own = APPROVERS.indexOf(context)
        return decided.find(({ node }) => node.name === NODES[own])?.approvalStatus === 'approved'
      }, WITHIN_MS)
    }
  }

  async function addProject(name: string): Promise<void> {
    const { machine } = sandbox
    await machine.must('--context', 'sandbox', 'create', 'project', `name=${name}`)
    const { data } = await sandbox.read<{ data: { id: string }[] }>(
      'sandbox',
      `/projects?filter[name]=${name}`
    )
    const { data: nodes } = await sandbox.read<{ data: { id: string; name: string }[] }>(
      'sandbox-admin',
      '/nodes'
    )
    for (const node of NODES) {
      const nodeId = nodes.find((one) => one.name === node)!.id
      const joined = await machine.json<{ data: { id: string } }>(
        ...['--context', 'sandbox', 'api', 'core', '/project-nodes'],
        ...[`projectId=${data[0]!.id}`, `nodeId=${nodeId}`]
      )
      const path = `/project-nodes/${joined.data.id}`
      if (node !== 'center') {
        await machine.must(
          ...['--context', `sandbox-${node}`, 'api', 'core', path, 'approvalStatus=approved']
        )
      }
    }
  }

  /** The gateways of the containers that run at a node, with what their analyses know. */
  async function gatewaysOf(node: string) {
    const sockets = join(sandbox.folder, 'nodes', node, 'state/sockets')
    const analysisIds = await readdir(sockets)
    return Promise.all(
      analysisIds.map(async (analysisId) => {
        const below = descendants(await sandbox.nodeProcess(node))
        const environments = below.map((pid) => procFile(pid, 'environ').split('\0'))
        const own = environments.find((one) => one.includes(`ANALYSIS_ID=${analysisId}`))!
        const variable = (name: string) =>
          own.find((one) => one.startsWith(`${name}=`))!.slice(name.length + 1)
        return {
          socket: join(sockets, analysisId, 'out'),
          analysisId,
          projectId: variable('PROJECT_ID'),
          token: variable('KEYCLOAK_TOKEN'),
        }
      })
    )
  }
})

async function endOf(command: ChildProcess): Promise<number | null> {
  if (command.exitCode === null && command.signalCode === null) {
    await once(command, 'exit')
  }
  return command.exitCode
}

async function writePatient(folder: string, name: string): Promise<void> {
  await mkdir(folder)
  const code = await readFile(PATIENT, 'utf8')
  await writeFile(join(folder, 'main.py'), `${code}# ${name}\n`)
}

/** A request to a gateway, as the code of an analysis makes it. */
function call(
  socketPath: string,
  path: string,
  token: string
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    request({ socketPath, path, headers }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
    })
      .on('error', reject)
      .end()
  })
}

async function putLocal(socketPath: string, token: string, projectId: string): Promise<void> {
  const form = new FormData()
  form.append('tag', `of-${projectId}`)
  form.append('file', new Blob([projectId]), 'file')
  const encoded = new Response(form)
  const body = Buffer.from(await encoded.arrayBuffer())
  const headers = {
    'authorization': `Bearer ${token}`,
    'content-type': encoded.headers.get('content-type')!,
    'content-length': body.length,
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  request({ socketPath, path: '/storage/local', method: 'PUT', headers }, (response) => {
    response.resume()
    resolve(response.statusCode!)
  })
    .on('error', reject)
    .end(body)
  const status = await promise
  if (status !== 201) {
    throw new Error(`The file was answered with ${status}`)
  }
}

interface Manifest {
  readonly config: { readonly digest: string }
  readonly layers: readonly { readonly digest: string }[]
}

async function manifestAt(images: string, digest: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(images, blobPath(digest)), 'utf8')) as Manifest
}

/** Changes one byte in the middle of the layer with the code. */
async function changeLayer(images: string, digest: string): Promise<void> {
  const { layers } = await manifestAt(images, digest)
  const file = join(images, blobPath(layers.at(-1)!.digest))
  const bytes = await readFile(file)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle]! ^= 1
  await writeFile(file, bytes)
}

/** Changes one digit of the label that names the content. */
async function changeLabel(images: string, digest: string): Promise<void> {
  const { config } = await manifestAt(images, digest)
  await changeText(join(images, blobPath(config.digest)), '"analysis-hub.content":"')
}

/** Changes one character of the signature, in the manifest that the tag beside the image names. */
async function changeSignature(images: string, digest: string): Promise<void> {
  const tag = attachmentTag(digest, SIGNATURE)
  const index = JSON.parse(await readFile(join(images, 'index.json'), 'utf8')) as {
    manifests: { digest: string; annotations?: Record<string, string> }[]
  }
  const isSignature = ({ annotations = {} }: { annotations?: Record<string, string> }) =>
    Object.values(annotations).some((name) => name.endsWith(tag))
  const signatures = new Set(index.manifests.filter(isSignature).map((one) => one.digest))
  if (signatures.size === 0) {
    throw new Error('The image has no signature')
  }
  for (const signature of signatures) {
    await changeText(join(images, blobPath(signature)), `"${SIGNATURE_ANNOTATION}":"ME`)
  }
}

/** Changes the character behind a text. */
async function changeText(file: string, before: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const at = text.indexOf(before) + before.length
  if (at < before.length) {
    throw new Error(`${file} has no ${before}`)
  }
  const other = text[at] === '0' ? '1' : '0'
  await writeFile(file, `${text.slice(0, at)}${other}${text.slice(at + 1)}`)
}
