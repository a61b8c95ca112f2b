// Files that a provider keeps for a while (KeptFiles), so that a broadcast uploads its header's file once and not for
// each recipient. An upload that isn't recorded, because the process died, is repeated, which is harmless.
import { type ChannelAccount, DeliveryError, type KeptFiles } from '../../channels/channel.ts'
import { deleteKept, findKept, insertKept, type KeptPlace } from '../domain/attachments/kept-file-queries.ts'
import type { KeyedUpload } from '../domain/attachments/upload-queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { openFile } from './outbound-files.ts'

/** Longer than a worker uses an id before it looks again. */
const SPARE_MS = 3_600_000

/** What a sender does with files that its provider keeps. */
export type FileKeeper = {
  /** The provider's id of a stored file, uploaded if it isn't there. Throws a DeliveryError. */
  keep: (file: KeyedUpload) => Promise<string>
  /** Whether a send failed because the provider no longer has the file. If so, the next one uploads it again. */
  isGone: (file: KeyedUpload, error: DeliveryError) => Promise<boolean>
}

/** Uploads under way in this process. */
const uploads = new Map<string, Promise<string>>()

export const makeFileKeeper = (
  ctx: Ctx,
  { account, files, timeoutMs }: { account: ChannelAccount; files: KeptFiles; timeoutMs: number },
): FileKeeper => {
  const placeOf = ({ key }: KeyedUpload): KeptPlace => ({
    channelAccountId: account.id,
    owner: files.ownerOf(account),
    key,
  })
  const upload = async (file: KeyedUpload): Promise<string> => {
    const { name, mimeType, size, key } = file
    const content = { name, mimeType, size, open: () => openFile(ctx, key) }
    const externalId = await files.keep(account, content, { timeoutMs })
    await insertKept(ctx, placeOf(file), {
      externalId,
      until: new Date(ctx.now().getTime() + files.keptMs),
    })
    return externalId
  }
  return {
    keep: async (file) => {
      const known = await findKept(ctx, placeOf(file), new Date(ctx.now().getTime() + SPARE_MS))
      if (known) return known
      const name = [ctx.workspaceId, ...Object.values(placeOf(file))].join('\n')
      const running =
        uploads.get(name) ??
        upload(file).finally(() => {
          uploads.delete(name)
        })
      uploads.set(name, running)
      return running
    },
    isGone: async (file, error) => {
      if (!files.isGone(error)) return false
      await deleteKept(ctx, placeOf(file))
      return true
    },
  }
}

/** A message that is sent without the file its template needs. */
export const fileLost = (): DeliveryError =>
  new DeliveryError('refused', 'FILE_LOST', 'The header’s file is no longer available.')
