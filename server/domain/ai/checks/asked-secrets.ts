// A reply that has the customer give away a password, a card number or a code is somebody else's.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import { phrasesOf } from '../guards/phrases.ts'
import type { ReplyProblem } from './reply.ts'

const oneOf = (phrases: string): string => `(?:${phrasesOf(phrases).join('|')})`

const ASK = oneOf(
  'send|give|tell|share|provide|reply with|text me|write me|confirm|let me know|what is|whats|need your|need the|message me|post|' +
    'schicken|senden|nennen|geben|teilen sie|mitteilen|bestätigen|wie lautet|schreib|schreiben|schick|sag|brauche|benötige|benötigen|' +
    'envíe|envíeme|envía|envíame|mande|mándeme|deme|dígame|dime|indique|indíqueme|facilite|confirme|comparta|cuál es|necesito|necesitamos|' +
    'envie|me envie|mande|me diga|informe|me informe|forneça|qual é|qual a sua|preciso|precisamos|' +
    'envoyez|envoyez moi|envoie|donnez|donnez moi|indiquez|communiquez|confirmez|quel est|quelle est|besoin de|' +
    'invii|inviami|mi invii|mandi|mi mandi|mi dia|mi dica|dimmi|fornisca|indichi|confermi|qual è|ho bisogno|' +
    'stuur|geef|vertel|deel|bevestig|wat is uw|wat is je|heb uw|nodig|proszę podać|podaj|prześlij|wyślij|jakie jest|potrzebuję|' +
    'gönderin|gönder|söyleyin|söyle|paylaşın|paylaş|yazın|yaz|bildirin|пришлите|отправьте|сообщите|назовите|скажите|напишите|подтвердите|нужен ваш|' +
    'надішліть|повідомте|назвіть|скажіть|напишіть|підтвердіть|потрібен ваш|أرسل|أرسلي|أعطني|أخبرني|شارك|أكد|أحتاج',
)
const SECRET = oneOf(
  'password|passwords|passcode|card number|credit card number|card details|credit card details|cvv|cvc|pin|pin code|security code|verification code|one time code|login code|' +
    'passwort|kennwort|kartennummer|kreditkartennummer|kreditkartendaten|geheimzahl|prüfziffer|sicherheitscode|bestätigungscode|tan|' +
    'contraseña|clave|número de tarjeta|número de su tarjeta|número de tu tarjeta|datos de la tarjeta|código de seguridad|código de verificación|' +
    'senha|número do cartão|número do seu cartão|dados do cartão|código de segurança|código de verificação|' +
    'mot de passe|numéro de carte|numéro de votre carte|code secret|code de sécurité|code de vérification|cryptogramme|' +
    'parola d’ordine|numero di carta|numero della carta|numero della sua carta|codice di sicurezza|codice di verifica|' +
    'wachtwoord|kaartnummer|creditcardnummer|pincode|beveiligingscode|verificatiecode|hasło|numer karty|kod pin|kod weryfikacyjny|' +
    'şifrenizi|şifreni|parolanızı|kart numaranızı|kart numaranı|doğrulama kodunu|пароль|номер карты|пин код|код из смс|код подтверждения|' +
    'номер картки|пін код|код підтвердження|كلمة المرور|كلمة السر|رقم البطاقة|رقم بطاقتك|رمز التحقق',
)
const WORDS = '(?:[^ ]{1,30} ){0,6}?'
const ASKS = new RegExp(` (?:${ASK} ${WORDS}${SECRET}|${SECRET} ${WORDS}${ASK}) `, 'u')
const NEVER = new RegExp(
  ` ${oneOf(
    'never|not|noone|niemand|niemandem|nadie|ninguém|personne|nessuno|nikomu|nikt|никому|нікому|dont|do not|wont|cannot|no one|nobody|nie|niemals|nicht|kein|keine|keinesfalls|nunca|jamás|no|não|jamais|ne|pas|mai|non|nooit|niet|geen|nigdy|asla|никогда|не|ніколи|لا|لن|أبدا',
  )} `,
  'u',
)
const CLAUSE = /[.!?;:\n。！？؟،,]+/u
const CLAUSES_MAX = 100

export const findAskedSecret = (text: string): ReplyProblem[] =>
  text
    .split(CLAUSE)
    .slice(0, CLAUSES_MAX)
    .map((clause) => ` ${foldText(clause)} `)
    .some((clause) => ASKS.test(clause) && !NEVER.test(clause))
    ? [
        {
          code: 'asks_secret',
          message: 'The reply asks for a password, a card number or a code. Never ask for these.',
        },
      ]
    : []
