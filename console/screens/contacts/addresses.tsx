// A contact's email and phone number: whether they are verified, and changing them.
import { Pencil } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Profile } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { Fact } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { None } from './contact-parts.tsx'
import { Email, isPhoneVerified, Phone } from './contact-who.tsx'

const EditAddress = lazy(() => import('./edit-address.tsx'))
const SamePerson = lazy(() => import('./same-person.tsx'))

export const Addresses = ({ contact, mayEdit }: { contact: Profile['contact']; mayEdit: boolean }) => {
  const [edited, setEdited] = useState<'email' | 'phone' | null>(null)
  const { email, emailVerified, phone } = contact
  const fact = (what: 'email' | 'phone', name: string, value: React.ReactNode) => (
    <Fact name={name}>
      {edited === what ? (
        <Suspense>
          <EditAddress contact={contact} what={what} label={name} onDone={() => setEdited(null)} />
        </Suspense>
      ) : (
        <span className="editable">
          <span>{value ?? <None />}</span>
          {mayEdit && (
            <IconButton
              icon={Pencil}
              size="small"
              label={what === 'email' ? t`Edit email` : t`Edit phone`}
              onClick={() => setEdited(what)}
            />
          )}
        </span>
      )}
    </Fact>
  )
  return (
    <>
      {fact('email', t`Email`, email && <Email email={email} isVerified={emailVerified} />)}
      {fact('phone', t`Phone`, phone && <Phone phone={phone} isVerified={isPhoneVerified(contact)} />)}
      {mayEdit && (email || phone) && (
        <Suspense>
          <SamePerson contact={contact} />
        </Suspense>
      )}
    </>
  )
}
