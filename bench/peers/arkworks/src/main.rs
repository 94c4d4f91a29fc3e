//! arkworks on 2^K - 4 squarings of a dense witness: setup, then proofs. `arkworks-chain K PROOFS`.
//! The statement is that of `cuzk-bench prove chain` and `cuzk-peer chain-setup-prove`.
use std::time::Instant;

use ark_bls12_381::{Bls12_381, Fr};
use ark_ff::Field;
use ark_groth16::{prepare_verifying_key, Groth16};
use ark_relations::lc;
use ark_relations::r1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable};
use ark_snark::SNARK;
use rand::rngs::OsRng;

struct Chain {
    squarings: usize,
    x: Option<Fr>,
}

impl ConstraintSynthesizer<Fr> for Chain {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let mut value = self.x;
        let mut last = cs.new_witness_variable(|| value.ok_or(SynthesisError::AssignmentMissing))?;
        for _ in 0..self.squarings {
            value = value.map(|v| v.square());
            let next = cs.new_witness_variable(|| value.ok_or(SynthesisError::AssignmentMissing))?;
            cs.enforce_constraint(lc!() + last, lc!() + last, lc!() + next)?;
            last = next;
        }
        let y = cs.new_input_variable(|| value.ok_or(SynthesisError::AssignmentMissing))?;
        cs.enforce_constraint(lc!() + last, lc!() + Variable::One, lc!() + y)
    }
}

fn main() {
    let number = |i: usize| -> usize { std::env::args().nth(i).and_then(|a| a.parse().ok()).expect("arkworks-chain K PROOFS") };
    let squarings = (1usize << number(1)) - 4;
    let start = Instant::now();
    let (pk, vk) = Groth16::<Bls12_381>::circuit_specific_setup(Chain { squarings, x: None }, &mut OsRng).expect("setup");
    println!("setup {:.3}", start.elapsed().as_secs_f64());
    let prepared = prepare_verifying_key(&vk);
    let x = Fr::from(3u64);
    let y = (0..squarings).fold(x, |v, _| v.square());
    for _ in 0..number(2) {
        let start = Instant::now();
        let proof = Groth16::<Bls12_381>::prove(&pk, Chain { squarings, x: Some(x) }, &mut OsRng).expect("proof");
        println!("prove {:.3}", start.elapsed().as_secs_f64());
        assert!(Groth16::<Bls12_381>::verify_with_processed_vk(&prepared, &[y], &proof).expect("verification"), "the proof does not verify");
    }
}
