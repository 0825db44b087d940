// Loads a plugin as ROS does, and prints what it gives at one state: M, the Coriolis vector, gravity, friction, torques.
#include <class_loader/class_loader.hpp>
#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <iostream>

int main(int, char** arguments)
{
    class_loader::ClassLoader loader(arguments[1]);
    const auto solver = loader.createInstance<inverse_dynamics_solver::InverseDynamicsSolver>("arm_dynamics::Solver");
    const int positions = std::stoi(arguments[2]), dof = std::stoi(arguments[3]);
    Eigen::VectorXd q(positions), qd(dof), qdd(dof);
    char** next = arguments + 4;
    for (Eigen::VectorXd* part : {&q, &qd, &qdd}) {
        for (double& x : *part) x = std::stod(*next++);
    }
    solver->initialize();
    const auto [M, coriolis, gravity] = solver->getDynamicParameters(q, qd);
    std::cout.precision(17);
    std::cout << M << '\n' << coriolis.transpose() << '\n' << gravity.transpose() << '\n'
              << solver->getFrictionVector(qd).transpose() << '\n' << solver->getTorques(q, qd, qdd).transpose() << '\n';
    try {
        solver->getGravityVector(Eigen::VectorXd::Zero(positions + 1));
    } catch (const std::invalid_argument& error) {
        std::cerr << error.what() << '\n';
        return 0;
    }
    return 1;
}
