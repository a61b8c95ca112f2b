// Exports everything about a person, and downloads the archive once it is written.
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

type PersonExport = {
  id: string
  status: 'running' | 'completed' | 'failed' | 'expired'
  url: string | null
  problem: string | null
}

const LOOK_MS = 1_000

const DownloadData = ({ contactId }: { contactId: string }) => {
  const api = useApi()
  const [isBusy, setBusy] = useState(false)
  const left = useRef(new AbortController())
  useEffect(() => {
    left.current = new AbortController()
    return () => left.current.abort()
  }, [])

  const download = async () => {
    const { signal } = left.current
    setBusy(true)
    try {
      let { export: one } = await api.post<{ export: PersonExport }>(`/contacts/${contactId}/exports`)
      while (one.status === 'running') {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        if (signal.aborted) return
        ;({ export: one } = await api.get<{ export: PersonExport }>(
          `/contacts/${contactId}/exports/${one.id}`,
          {},
          signal,
        ))
      }
      if (one.url) {
        const { pathname, search } = new URL(one.url)
        window.location.assign(pathname + search)
      } else toast(one.problem ?? t`The export was deleted. Try again.`)
    } catch (error) {
      if (!signal.aborted) toastError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Button size="small" isBusy={isBusy} onClick={() => void download()}>
      {t`Download data`}
    </Button>
  )
}
export default DownloadData
