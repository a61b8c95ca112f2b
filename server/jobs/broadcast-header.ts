// The uploaded file in the header of a broadcast's template.
import { DeliveryError } from '../../channels/channel.ts'
import type { Part } from '../domain/broadcasts/queries.ts'
import type { ReadySend } from '../domain/broadcasts/take-turns.ts'
import type { Outcome } from '../domain/messages/record-outcomes.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { type FileKeeper, fileLost } from './provider-files.ts'

const UPLOADED_AGAIN_MS = 1_000

type Header = {
  /** The send, with the provider's id of the file. */
  fill: (ready: ReadySend) => ReadySend
  /** Set if a send failed because the provider no longer has the file: the next job uploads it again. */
  outcomeOf: (ctx: Ctx, error: DeliveryError, ready: ReadySend) => Promise<Outcome | undefined>
  isGone: () => boolean
}

const NONE: Header = { fill: (ready) => ready, outcomeOf: async () => undefined, isGone: () => false }

/**
 * Uploads the file, unless the provider has it. Call it before recipients are claimed: however long it takes, nobody
 * waits in a claim. Returns why it failed.
 */
export const prepareHeader = async (
  { file, header }: Part,
  files: FileKeeper | undefined,
): Promise<Header | DeliveryError> => {
  if (!header?.headerAttachmentId) return NONE
  if (!file || !files) return fileLost()
  let isGone = false
  try {
    const externalId = await files.keep(file)
    return {
      fill: (ready) => {
        const { template } = ready
        if (!template.file) return ready
        return { ...ready, template: { ...template, file: { ...template.file, externalId } } }
      },
      outcomeOf: async (ctx, error, { claim }) => {
        if (claim.tries > 1 || !(await files.isGone(file, error))) return undefined
        isGone = true
        const until = new Date(ctx.now().getTime() + UPLOADED_AGAIN_MS)
        return { is: 'postponed', until, code: error.code, message: error.message }
      },
      isGone: () => isGone,
    }
  } catch (error) {
    if (error instanceof DeliveryError) return error
    throw error
  }
}
