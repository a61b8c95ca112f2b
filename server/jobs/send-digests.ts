// Emails people about what they would have been notified of, once it has waited long enough and they weren't online.
import { listDuePeople, returnDigest, takeDigest } from '../domain/notifications/digest-queries.ts'
import { digestMail } from '../domain/notifications/digest-words.ts'
import { isQuiet } from '../domain/notifications/is-quiet.ts'
import { DEFAULT_SETTINGS } from '../domain/notifications/settings.ts'
import type { JobDeps } from './deps.ts'

const AGAIN_MS = 5 * 60_000

/**
 * One email for each person, of one workspace at a time. What it is about is taken before it is sent: a process that dies
 * in between leaves it unsent, rather than sent twice. While a person has quiet hours, everything waits.
 */
export const sendDigests = async (deps: JobDeps): Promise<void> => {
  const { db, mail, now, publicUrl } = deps
  if (!mail) return
  for (const person of await listDuePeople(db, now())) {
    if (deps.isStopping()) return
    const { workspaceId, pausedUntil } = person
    const settings = person.settings ?? DEFAULT_SETTINGS
    if (isQuiet(settings, pausedUntil, now())) continue
    const rows = await takeDigest(db, person)
    const isAllowed = mail.onlyWorkspaceId === null || mail.onlyWorkspaceId === workspaceId
    if (rows.length === 0 || !isAllowed) continue
    try {
      await mail.send(digestMail(rows, { workspaceId, publicUrl, showText: settings.showText }))
    } catch (error) {
      deps.log.warn({ err: error, workspaceId }, 'an email about waiting conversations was rejected')
      const dueAt = new Date(now().getTime() + AGAIN_MS)
      await returnDigest(db, { workspaceId, ids: rows.map(({ id }) => id), dueAt })
    }
  }
}
