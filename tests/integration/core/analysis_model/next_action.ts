import * as actions from './actions.js'
import type { Action } from './actions.js'
import { codeOf } from './derived.js'
import type { Model, WorkerReport } from './model.js'
import { unmetOf, type Code } from './rules.js'
import { isStartable, type ProcessName } from './state.js'

/** An action that advances the analysis, so that random steps reach the end of its life, too. */
export function nextAction(model: Model, at: number): Action | undefined {
  const { analysis } = model
  if (!analysis) {
    return actions.create(model.images[0])
  }
  const { locked, build, distribution } = analysis
  if (!locked) {
    return towards(model, 'configurationLock')
  }
  if (isStartable(build.status)) {
    return towards(model, 'buildStart')
  }
  if (build.status !== 'executed') {
    return actions.workerReport(finished(model, 'build', at))
  }
  if (isStartable(distribution.status)) {
    return towards(model, 'distributionStart')
  }
  if (distribution.status !== 'executed') {
    return actions.workerReport(finished(model, 'distribution', at))
  }
  const executing = analysis.assignments.find(({ status }) => status !== 'executed')
  return executing && actions.execute(executing.node, 'executed', 100)
}

function towards(
  model: Model,
  command: 'configurationLock' | 'buildStart' | 'distributionStart'
): Action | undefined {
  const damaged = codeOf(model.now).find(({ key }) => model.now.damaged.has(key))
  if (damaged) {
    return actions.removeFile(damaged)
  }
  const [code] = unmetOf(command, model.now, model.nodes, false)
  return code === undefined ? actions.command(command) : mending(model, code)
}

/** An action that satisfies an unmet guard. */
function mending(model: Model, code: Code): Action | undefined {
  const { assignments } = model.now
  const assigned = assignments.map(({ node }) => model.nodes.get(node)!)
  const others = [...model.nodes.values()].filter((node) => !assigned.includes(node))
  switch (code) {
    case 'default_node_required':
    case 'aggregator_node_required': {
      const wanted = code === 'default_node_required' ? 'default' : 'aggregator'
      const node = others.find(({ type }) => type === wanted)
      return node ? actions.assign(node) : others[0] && actions.changeType(others[0], wanted)
    }
    case 'entrypoint_required':
      return makingRoot(model)
    case 'image_required':
      return actions.chooseImage(model.images[0]!)
    case 'project_approval_required':
      return actions.decideOnProject(
        assigned.find(({ projectDecision }) => projectDecision !== 'approved')!,
        'approved'
      )
    case 'nodes_approval_required': {
      const open = assignments.find(({ decision }) => decision !== 'approved')
      return open ? actions.decide(open.node, 'approved') : actions.command('configurationUnlock')
    }
    case 'node_registry_unassigned':
      return actions.setRegistry(
        assigned.find(({ hasRegistry }) => !hasRegistry)!,
        true
      )
    default:
      return undefined
  }
}

function makingRoot(model: Model): Action {
  const { buckets, requests } = model.now
  const bucket = buckets.find(({ type }) => type === 'CODE')?.bucket
  if (bucket === undefined) {
    const [requested] = [...requests].find(([, created]) => created === null) ?? []
    return requested
      ? actions.bucketCreated(requested, model.nextNumber())
      : actions.command('storageCheck')
  }
  const [file] = codeOf(model.now)
  return file
    ? actions.changeFile(file, { root: true })
    : actions.addFile({ key: model.nextNumber(), bucket, path: 'main.py', root: true })
}

function finished(model: Model, process: ProcessName, at: number): WorkerReport {
  const { run } = model.now[process]
  const report = at % 2 === 0 ? 'executionFinished' : 'executionStarted'
  return {
    ...{ process, report, run: run!.number, hash: `sha256:${at}` },
    ...{ percent: 0, status: null, problem: null },
  }
}
