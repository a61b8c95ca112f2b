// What customers are told about an action that the AI agent proposes. Its name and values are put below.
import { baseOf } from '../../../../flow-engine/language.ts'

type Texts = {
  ask: string
  askPerson: string
  done: string
  failed: string
  unknown: string
  declined: string
  tooLate: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    ask: 'Shall I do this?',
    askPerson: 'A colleague has to look at this first:',
    done: 'Done.',
    failed: 'That didn’t work.',
    unknown: 'I couldn’t make sure that this worked.',
    declined: 'All right, I won’t do that.',
    tooLate: 'This can no longer be confirmed. If you still want it, please tell me again.',
  },
  de: {
    ask: 'Soll ich das tun?',
    askPerson: 'Das muss sich erst jemand aus unserem Team ansehen:',
    done: 'Erledigt.',
    failed: 'Das hat nicht geklappt.',
    unknown: 'Ich konnte nicht feststellen, ob das geklappt hat.',
    declined: 'In Ordnung, ich lasse es.',
    tooLate:
      'Das lässt sich nicht mehr bestätigen. Wenn Sie es noch möchten, schreiben Sie es mir bitte noch einmal.',
  },
  es: {
    ask: '¿Quiere que lo haga?',
    askPerson: 'Antes tiene que revisarlo una persona de nuestro equipo:',
    done: 'Hecho.',
    failed: 'No ha funcionado.',
    unknown: 'No he podido comprobar si ha funcionado.',
    declined: 'De acuerdo, no lo haré.',
    tooLate: 'Esto ya no se puede confirmar. Si todavía lo quiere, dígamelo otra vez, por favor.',
  },
  pt: {
    ask: 'Quer que eu faça isso?',
    askPerson: 'Antes, alguém da nossa equipe precisa ver isto:',
    done: 'Feito.',
    failed: 'Não funcionou.',
    unknown: 'Não consegui verificar se funcionou.',
    declined: 'Tudo bem, não vou fazer isso.',
    tooLate: 'Isso não pode mais ser confirmado. Se ainda quiser, diga de novo, por favor.',
  },
  fr: {
    ask: 'Voulez-vous que je le fasse ?',
    askPerson: 'Une personne de notre équipe doit d’abord vérifier ceci :',
    done: 'C’est fait.',
    failed: 'Cela n’a pas fonctionné.',
    unknown: 'Je n’ai pas pu vérifier si cela a fonctionné.',
    declined: 'D’accord, je ne le ferai pas.',
    tooLate: 'Cela ne peut plus être confirmé. Si vous le souhaitez encore, dites-le-moi de nouveau.',
  },
}

/** In English where there is no other. */
export const proposalText = (name: keyof Texts, language: string): string =>
  (Object.hasOwn(TEXTS, baseOf(language)) ? TEXTS[baseOf(language)]! : TEXTS.en!)[name]
