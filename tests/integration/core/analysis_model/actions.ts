import { DONE, type Model, type Told } from './model.js'
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

/** One thing that happens, to the platform and to the model. Each answers what came of it. */
export interface Action {
  readonly says: string
  readonly inWorld: (world: World) => Promise<string>
  readonly inModel: (model: Model) => string
}

/** What is told always ends well: it means something, or nothing. */
const told = async (work: Promise<void>): Promise<string> => {
  await work
  return DONE
}
const noted = (_: void): string => DONE

export const create = (image: ImageState | undefined): Action => ({
  says: `create with image ${image?.key ?? 'none'}`,
  inWorld: (world) => world.create(image?.key ?? null),
  inModel: (model) => model.create(image ? { ...image } : null),
})

export const remove: Action = {
  says: 'remove the analysis',
  inWorld: (world) => world.remove(),
  inModel: (model) => model.remove(),
}

export const command = (name: CommandName): Action => ({
  says: name,
  inWorld: (world) => world.run(name),
  inModel: (model) => model.run(name),
})

export const assign = ({ key }: NodeState): Action => ({
  says: `assign node ${key}`,
  inWorld: (world) => world.assign(key),
  inModel: (model) => model.assign(key),
})

export const unassign = (node: number): Action => ({
  says: `take node ${node} out`,
  inWorld: (world) => world.unassign(node),
  inModel: (model) => model.unassign(node),
})

export const decide = (node: number, decision: Decision): Action => ({
  says: `node ${node} says ${decision}`,
  inWorld: (world) => world.report(node, { approvalStatus: decision }),
  inModel: (model) => model.decide(node, decision),
})

export const execute = (node: number, status: Status | null, progress: number | null): Action => ({
  says: `node ${node} is ${status} at ${progress}`,
  inWorld: (world) => world.report(node, { executionStatus: status, executionProgress: progress }),
  inModel: (model) => model.execute(node, status, progress),
})

export const decideOnProject = (node: NodeState, decision: Decision): Action => ({
  says: `node ${node.key} says ${decision} to the project`,
  inWorld: (world) => world.decideOnProject(node.key, decision),
  inModel: (model) => {
    model.nodes.get(node.key)!.projectDecision = decision
    return DONE
  },
})

export const changeType = (node: NodeState, type: NodeType): Action => ({
  says: `node ${node.key} becomes ${type}`,
  inWorld: (world) => world.changeType(node.key, type),
  inModel: (model) => {
    model.nodes.get(node.key)!.type = type
    return DONE
  },
})

export const setRegistry = (node: NodeState, hasRegistry: boolean): Action => ({
  says: `node ${node.key} has ${hasRegistry ? 'a' : 'no'} registry`,
  inWorld: (world) => told(world.setRegistry(node.key, hasRegistry)),
  inModel: (model) => {
    model.nodes.get(node.key)!.hasRegistry = hasRegistry
    return DONE
  },
})

export const replaceNode = (node: NodeState, next: NodeState): Action => ({
  says: `node ${node.key} goes, ${next.key} comes`,
  inWorld: async (world) => {
    const outcome = await world.removeNode(node.key)
    await (outcome === DONE ? world.addNode(next) : undefined)
    return outcome
  },
  inModel: (model) => model.replaceNode(node.key, { ...next }),
})

export const chooseImage = (image: ImageState | null): Action => ({
  says: `choose image ${image?.key ?? 'none'}`,
  inWorld: (world) => world.change({ masterImageId: image ? world.id('image', image.key) : null }),
  inModel: (model) => model.chooseImage(image && { ...image }),
})

export const chooseArguments = (value: string | null): Action => {
  const args = value === null ? null : [{ value }]
  return {
    says: `choose the arguments ${value}`,
    inWorld: (world) => world.change({ imageCommandArguments: args }),
    inModel: (model) => model.chooseArguments(args && JSON.stringify(args)),
  }
}

export const changeImage = ({ key, version }: ImageState): Action => ({
  says: `image ${key} runs something else`,
  inWorld: (world) => world.changeImage(key, version + 1),
  inModel: (model) => model.replaceImage({ key, version }, { key, version: version + 1 }),
})

export const removeImage = (image: ImageState, next: number): Action => ({
  says: `image ${image.key} goes, ${next} comes`,
  inWorld: async (world) => {
    const outcome = await world.removeImage(image.key)
    await (outcome === DONE ? world.addImage(next) : undefined)
    return outcome
  },
  inModel: (model) => model.replaceImage(image, { key: next, version: 0 }),
})

export const bucketMade = (type: BucketType, bucket: number): Action => ({
  says: `storage made bucket ${bucket} for ${type}`,
  inWorld: (world) => told(world.bucketMade(type, bucket)),
  inModel: (model) => noted(model.bucketMade(type, bucket)),
})

export const addBucket = (type: BucketType, bucket: number): Action => ({
  says: `enter bucket ${bucket} for ${type}`,
  inWorld: (world) => world.addBucket(type, bucket),
  inModel: (model) => model.addBucket(type, bucket),
})

export const removeBucket = (bucket: number): Action => ({
  says: `remove bucket ${bucket}`,
  inWorld: (world) => world.removeBucket(bucket),
  inModel: (model) => model.removeBucket(bucket),
})

export const bucketDeleted = (bucket: number): Action => ({
  says: `storage deleted bucket ${bucket}`,
  inWorld: (world) =>
    told(
      world.storageTells('bucket', 'deletionFinished', { data: { id: world.id('bucket', bucket) } })
    ),
  inModel: (model) => model.removeBucket(bucket),
})

export const addFile = (file: FileState): Action => ({
  says: `enter file ${file.key} at ${file.path} of bucket ${file.bucket}${file.root ? ', the root' : ''}`,
  inWorld: (world) => world.addFile(file.bucket, file.key, { path: file.path, root: file.root }),
  inModel: (model) => model.addFile({ ...file }),
})

export const changeFile = (
  { bucket, key }: FileState,
  change: { path?: string; root?: boolean }
): Action => ({
  says: `change file ${key} to ${JSON.stringify(change)}`,
  inWorld: (world) => world.changeFile(bucket, key, change),
  inModel: (model) =>
    model.changeFile(
      model.now.files.find((file) => file.key === key && file.bucket === bucket)!,
      change
    ),
})

export const removeFile = ({ bucket, key }: FileState): Action => ({
  says: `remove file ${key}`,
  inWorld: (world) => world.removeFile(bucket, key),
  inModel: (model) =>
    model.removeFile(model.now.files.find((file) => file.key === key && file.bucket === bucket)!),
})

export const fileStored = (file: FileState): Action => ({
  says: `storage took in file ${file.key} at ${file.path} of bucket ${file.bucket}`,
  inWorld: (world) =>
    told(
      world.storageTells('file', 'creationFinished', {
        data: {
          id: world.id('file', file.key),
          bucketId: world.id('bucket', file.bucket),
          path: file.path,
        },
      })
    ),
  inModel: (model) => noted(model.fileStored({ ...file, root: false })),
})

export const fileDeleted = (key: number): Action => ({
  says: `storage deleted file ${key}`,
  inWorld: (world) =>
    told(world.storageTells('file', 'deletionFinished', { data: { id: world.id('file', key) } })),
  inModel: (model) => {
    const gone = (model.analysis?.files ?? []).filter((file) => file.key === key)
    gone.forEach((file) => model.removeFile(file))
    return DONE
  },
})

export const damage = ({ key }: FileState): Action => ({
  says: `somebody changes the bytes of file ${key}`,
  inWorld: async (world) => {
    world.damage(key)
    return DONE
  },
  inModel: (model) => {
    model.now.damaged.add(key)
    return DONE
  },
})

export const tell = (what: Told): Action => ({
  says: `a worker tells ${JSON.stringify(what)}`,
  inWorld: (world) => told(world.workerTells(what)),
  inModel: (model) => noted(model.tell(what)),
})

/** Nothing comes of what was delivered before. */
export const repeat = (back: number): Action => ({
  says: `the bus repeats a message of ${back + 1} messages ago`,
  inWorld: (world) => told(world.repeat(back)),
  inModel: () => DONE,
})

export const silence: Action = {
  says: 'no worker is heard',
  inWorld: (world) => world.silence(),
  inModel: (model) => noted(model.silence(60)),
}
