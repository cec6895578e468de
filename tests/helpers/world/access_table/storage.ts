import {
  all,
  author,
  clientOfAnalysis,
  clientOfApprovingNode,
  codeOnly,
  either,
  forItself,
  holding,
  inAssignedRealm,
  inMaster,
  inRealm,
  named,
  ofAnalysis,
  ofNoAnalysis,
  owner,
  program,
  resultOrTemp,
  uploader,
  user,
  type Rule,
} from '#tests/helpers/world/access_rules'

/** Whoever works on analyses of the realm, or keeps its buckets. */
const worksOn = holding(
  'analysis_update',
  'analysis_approve',
  'analysis_execution_start',
  'analysis_execution_stop',
  'bucket_update',
  'bucket_delete'
)
const keeps = (permission: string) => all(holding(permission), inRealm, forItself)

const read = either(
  owner,
  all(ofNoAnalysis, inRealm, forItself),
  all(ofAnalysis, author),
  all(ofAnalysis, worksOn, inRealm, forItself),
  clientOfAnalysis,
  clientOfApprovingNode,
  all(codeOnly, user, holding('analysis_approve'), inAssignedRealm)
)

/** Who builds images asks for what the analysis names, without a list. */
const readOne = either(read, all(codeOnly, program, holding('registry_manage'), inMaster))

const write = either(
  owner,
  all(ofNoAnalysis, inRealm, forItself),
  all(ofAnalysis, author),
  all(ofAnalysis, holding('analysis_update', 'bucket_update'), inRealm, forItself),
  clientOfAnalysis,
  all(clientOfApprovingNode, resultOrTemp)
)

const writesIt = named('who may upload there', write)

/** Whoever cancels the uploads of others: the bucket's owner, and those of its realm who change or write it. */
const supervise = either(
  owner,
  all(user, holding('bucket_update', 'bucket_delete'), inRealm),
  all(user, inRealm, writesIt),
  all(program, holding('bucket_update', 'bucket_delete'), inRealm, writesIt)
)

/** Who may use which route of storage; of lists, whose buckets and files. */
export const STORAGE: Readonly<Record<string, Rule>> = {
  listBucket: read,
  readBucket: readOne,
  streamBucket: readOne,
  readBucketFiles: readOne,
  listBucketFile: read,
  readBucketFile: readOne,
  streamBucketFile: readOne,

  createBucket: all(holding('bucket_create'), inRealm),
  updateBucket: either(owner, author, keeps('bucket_update')),
  deleteBucket: either(owner, keeps('bucket_delete')),
  deleteBucketFile: either(owner, author, keeps('bucket_update')),
  uploadBucketFiles: write,
  beginResumableUpload: write,
  readResumableUploads: write,
  readResumableUpload: either(uploader, writesIt),
  continueResumableUpload: write,
  endResumableUpload: either(uploader, supervise),
  useResumableUpload: write,

  readBucketLocks: all(program, holding('bucket_update'), holding('bucket_delete'), inMaster),
  lockBuckets: all(program, holding('bucket_update'), holding('bucket_delete'), inMaster),
  releaseBucketLock: all(program, holding('bucket_update'), holding('bucket_delete'), inMaster),
  removeFromBuckets: all(program, holding('bucket_update'), holding('bucket_delete'), inMaster),
  readUsage: all(holding('service_manage'), inMaster),
}
