import { useEffect, useState } from 'react'
import type { ConversationDetails } from '../../state/types.ts'

const MINUTE_MS = 60_000

/** Updates once a minute, for countdowns. */
const useNow = (): number => {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Whether the reply window is closed, and the time left in it (null: no limit, or closed). */
export const useReplyWindow = (replyWindow: ConversationDetails['replyWindow']) => {
  const now = useNow()
  const msLeft = replyWindow?.closesAt ? Date.parse(replyWindow.closesAt) - now : null
  const isClosed = replyWindow !== null && (!replyWindow.isOpen || (msLeft !== null && msLeft <= 0))
  return { isClosed, msLeft: isClosed ? null : msLeft }
}
