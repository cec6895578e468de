import { RegistryStore } from '#oci/registry/registry_store'
import { UploadJournal } from '#oci/uploads/upload_journal'
import { realTime } from '#tests/helpers/real_time'

/** Uploads an endless blob until the process is killed. */
const { access, folder } = JSON.parse(process.env.UPLOADING!)
const store = RegistryStore.open(access, { journal: await UploadJournal.open(folder) })

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.alloc(1024 ** 2)
    await realTime(5, 'the registry is not to fill the disk until the process is killed')
  }
}

await store.writeBlob('suite/uploading', endless)
