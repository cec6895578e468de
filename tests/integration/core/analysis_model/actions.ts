import { DONE, type Model, type WorkerReport } from './model.js'
import type { CommandName } from './rules.js'
import type {
  BucketType,
  Decision,
  FileState,
  ImageState,
  NodeState,
  NodeType,
  Status,
} from './state.js'
import type { World } from './world.js'

/** An action on the platform and on the model. Both return its outcome. */
export interface Action {
  readonly description: string
  readonly inWorld: (world: World) => Promise<string>
  readonly inModel: (model: Model) => string
}

/** Messages have no other outcome, whether they apply or not. */
const done = async (work: Promise<void>): Promise<string> => {
  await work
  return DONE
}
const doneSync = (_: void): string => DONE

export const create = (image: ImageState | undefined): Action => ({
  description: `create with image ${image?.key ?? 'none'}`,
  inWorld: (world) => world.create(image?.key ?? null),
  inModel: (model) => model.create(image ? { ...image } : null),
})

export const remove: Action = {
  description: 'remove the analysis',
  inWorld: (world) => world.remove(),
  inModel: (model) => model.remove(),
}

export const command = (name: CommandName): Action => ({
  description: name,
  inWorld: (world) => world.run(name),
  inModel: (model) => model.run(name),
})

export const assign = ({ key }: NodeState): Action => ({
  description: `assign node ${key}`,
  inWorld: (world) => world.assign(key),
  inModel: (model) => model.assign(key),
})

export const unassign = (node: number): Action => ({
  description: `unassign node ${node}`,
  inWorld: (world) => world.unassign(node),
  inModel: (model) => model.unassign(node),
})

export const decide = (node: number, decision: Decision): Action => ({
  description: `node ${node} decides ${decision}`,
  inWorld: (world) => world.report(node, { approvalStatus: decision }),
  inModel: (model) => model.decide(node, decision),
})

export const execute = (node: number, status: Status | null, progress: number | null): Action => ({
  description: `node ${node} is ${status} at ${progress}`,
  inWorld: (world) => world.report(node, { executionStatus: status, executionProgress: progress }),
  inModel: (model) => model.execute(node, status, progress),
})

export const decideOnProject = (node: NodeState, decision: Decision): Action => ({
  description: `node ${node.key} decides ${decision} on the project`,
  inWorld: (world) => world.decideOnProject(node.key, decision),
  inModel: (model) => {
    model.nodes.get(node.key)!.projectDecision = decision
    return DONE
  },
})

export const changeType = (node: NodeState, type: NodeType): Action => ({
  description: `node ${node.key} becomes ${type}`,
  inWorld: (world) => world.changeType(node.key, type),
  inModel: (model) => {
    model.nodes.get(node.key)!.type = type
    return DONE
  },
})

export const setRegistry = (node: NodeState, hasRegistry: boolean): Action => ({
  description: `node ${node.key} has ${hasRegistry ? 'a' : 'no'} registry`,
  inWorld: (world) => done(world.setRegistry(node.key, hasRegistry)),
  inModel: (model) => {
    model.nodes.get(node.key)!.hasRegistry = hasRegistry
    return DONE
  },
})

export const replaceNode = (node: NodeState, next: NodeState): Action => ({
  description: `node ${next.key} replaces node ${node.key}`,
  inWorld: async (world) => {
    const outcome = await world.removeNode(node.key)
    await (outcome === DONE ? world.addNode(next) : undefined)
    return outcome
  },
  inModel: (model) => model.replaceNode(node.key, { ...next }),
})

export const chooseImage = (image: ImageState | null): Action => ({
  description: `choose image ${image?.key ?? 'none'}`,
  inWorld: (world) => world.change({ masterImageId: image ? world.id('image', image.key) : null }),
  inModel: (model) => model.chooseImage(image && { ...image }),
})

export const chooseArguments = (value: string | null): Action => {
  const args = value === null ? null : [{ value }]
  return {
    description: `choose the arguments ${value}`,
    inWorld: (world) => world.change({ imageCommandArguments: args }),
    inModel: (model) => model.chooseArguments(args && JSON.stringify(args)),
  }
}

export const changeImage = ({ key, version }: ImageState): Action => ({
  description: `image ${key} runs something else`,
  inWorld: (world) => world.changeImage(key, version + 1),
  inModel: (model) => model.replaceImage({ key, version }, { key, version: version + 1 }),
})

export const removeImage = (image: ImageState, next: number): Action => ({
  description: `image ${next} replaces image ${image.key}`,
  inWorld: async (world) => {
    const outcome = await world.removeImage(image.key)
    await (outcome === DONE ? world.addImage(next) : undefined)
    return outcome
  },
  inModel: (model) => model.replaceImage(image, { key: next, version: 0 }),
})

export const bucketCreated = (type: BucketType, bucket: number): Action => ({
  description: `storage created bucket ${bucket} for ${type}`,
  inWorld: (world) => done(world.bucketCreated(type, bucket)),
  inModel: (model) => doneSync(model.bucketCreated(type, bucket)),
})

export const addBucket = (type: BucketType, bucket: number): Action => ({
  description: `add bucket ${bucket} for ${type}`,
  inWorld: (world) => world.addBucket(type, bucket),
  inModel: (model) => model.addBucket(type, bucket),
})

export const removeBucket = (bucket: number): Action => ({
  description: `remove bucket ${bucket}`,
  inWorld: (world) => world.removeBucket(bucket),
  inModel: (model) => model.removeBucketRecord(bucket),
})

export const bucketDeleted = (bucket: number): Action => ({
  description: `storage deleted bucket ${bucket}`,
  inWorld: (world) =>
    done(
      world.storageReports('bucket', 'deletionFinished', {
        data: { id: world.id('bucket', bucket) },
      })
    ),
  inModel: (model) => model.removeBucket(bucket),
})

export const addFile = (file: FileState): Action => ({
  description: `add file ${file.key} at ${file.path} of bucket ${file.bucket}${file.root ? ', the root' : ''}`,
  inWorld: (world) => world.addFile(file.bucket, file.key, { path: file.path, root: file.root }),
  inModel: (model) => model.addFile({ ...file }),
})

export const changeFile = (
  { bucket, key }: FileState,
  change: { path?: string; root?: boolean }
): Action => ({
  description: `change file ${key} to ${JSON.stringify(change)}`,
  inWorld: (world) => world.changeFile(bucket, key, change),
  inModel: (model) =>
    model.changeFile(
      model.now.files.find((file) => file.key === key && file.bucket === bucket)!,
      change
    ),
})

export const removeFile = ({ bucket, key }: FileState): Action => ({
  description: `remove file ${key}`,
  inWorld: (world) => world.removeFile(bucket, key),
  inModel: (model) =>
    model.removeFileRecord(
      model.now.files.find((file) => file.key === key && file.bucket === bucket)!
    ),
})

export const fileStored = (file: FileState): Action => ({
  description: `storage stored file ${file.key} at ${file.path} of bucket ${file.bucket}`,
  inWorld: (world) =>
    done(
      world.storageReports('file', 'creationFinished', {
        data: {
          id: world.id('file', file.key),
          bucketId: world.id('bucket', file.bucket),
          path: file.path,
        },
      })
    ),
  inModel: (model) => doneSync(model.fileStored({ ...file, root: false })),
})

export const fileDeleted = (key: number): Action => ({
  description: `storage deleted file ${key}`,
  inWorld: (world) =>
    done(world.storageReports('file', 'deletionFinished', { data: { id: world.id('file', key) } })),
  inModel: (model) => {
    const files = (model.analysis?.files ?? []).filter((file) => file.key === key)
    files.forEach((file) => model.removeFile(file))
    model.removedFiles = model.removedFiles.filter((file) => file.key !== key)
    return DONE
  },
})

export const damage = ({ key }: FileState): Action => ({
  description: `the bytes of file ${key} change`,
  inWorld: async (world) => {
    world.damage(key)
    return DONE
  },
  inModel: (model) => {
    model.now.damaged.add(key)
    return DONE
  },
})

export const workerReport = (report: WorkerReport): Action => ({
  description: `a worker reports ${JSON.stringify(report)}`,
  inWorld: (world) => done(world.workerReports(report)),
  inModel: (model) => doneSync(model.applyReport(report)),
})

/** A repeated message changes nothing. */
export const repeat = (back: number): Action => ({
  description: `the bus repeats a message of ${back + 1} messages ago`,
  inWorld: (world) => done(world.repeat(back)),
  inModel: () => DONE,
})

export const noReports: Action = {
  description: 'no worker reports',
  inWorld: (world) => world.noReports(),
  inModel: (model) => doneSync(model.noReports(60)),
}
