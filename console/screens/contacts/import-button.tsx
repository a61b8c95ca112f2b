import { FileUp } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'

const ImportContacts = lazy(() => import('./import/import-contacts.tsx'))

/** For those who see all contacts: an import tells who is one. */
export const ImportButton = () => {
  const { can } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!can('manage_contacts') || !can('see_all_conversations')) return null
  return (
    <>
      <Button icon={FileUp} onClick={() => setOpen(true)}>
        {t`Import`}
      </Button>
      {isOpen && (
        <Suspense>
          <ImportContacts onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
